"""Payloads in texts, files, heads and paths: none works. Tokens and names of the server.

Tests of wordplane.serving.settings.
"""

import csv
import http.client
import io
import json
import re
import socket
import sqlite3
import time
from contextlib import closing
from html.parser import HTMLParser

import pytest

from tests.serving.running import Server
from wordplane.common.errors import InputError
from wordplane.data.tables import FORMULA
from wordplane.serving.page import FILES as PAGE_FILES
from wordplane.serving.settings import ServeOptions

TAGS = ["script", "img", "svg", "iframe", "body", "a", "math", "video", "object", "style"]
XSS = [
    *(f"<{tag} onload=alert({i})>" for i, tag in enumerate(TAGS)),
    *(f'"><{tag} src=x onerror=alert({i})>' for i, tag in enumerate(TAGS)),
    *(f"'><{tag}/onfocus=alert({i}) autofocus>" for i, tag in enumerate(TAGS)),
    *(f"</textarea><{tag}>alert({i})</{tag}>" for i, tag in enumerate(TAGS)),
    *(f"{{{{{i}*7}}}}${{{i}*7}}<%= {i} %>" for i in range(5)),
    *("javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "\u202egnp.exe"),
]
CALLS = ["cmd|' /C calc'!A0", 'HYPERLINK("http://x","y")', "1+1", "SUM(A1:A9)", "IMPORTXML(1)"]
FORMULAS = [
    *(sign + call for sign in "=+-@" for call in CALLS),
    *(f"{sign}{sign}1+{i}" for sign in "=+-@" for i in range(3)),
    *("\t=1+1", "\r=1+1", "=1", "@SUM(1)", "-2+3", "+3-2"),
]
HEADERS = [
    "a\tb",
    "%0d%0aSet-Cookie:x=1",
    "\xff\xfe",
    "a" * 65,
    "<script>",
    '"},{"level":"error"',
    "../../etc/passwd",
    "a;b=c",
    "a,b",
    "a b",
    "'",
    "",
    *(f"x{c}y" for c in "!#$%&()*+/:<=>?@[]^`{|}~"),
]
FILES = ["etc/passwd", "proc/self/environ", "page.html", "m.wordplane", ".git/config"]
PATHS = [
    *(f"/{'../' * n}{file}" for n in range(5) for file in FILES),
    *(f"/{'..%2f' * n}{file}" for n in range(1, 5) for file in FILES),
    *(f"/{'%2e%2e/' * n}{file}" for n in range(1, 4) for file in FILES),
    *(f"/page.css/{'..;/' * n}{file}" for n in range(1, 3) for file in FILES),
    *("//evil.example/", "/%00", "/page.js%00.html", "/v1//predict", "/v1/predict/", "/V1/PREDICT"),
    *("/page", "/page/page.js", "/static/page.js", "/.env", "/?q=<script>", "/v1/models/../../x"),
]


def test_there_are_enough():
    assert len({*XSS, *FORMULAS, *HEADERS, *PATHS}) >= 200


def test_texts_come_back_as_json_that_no_browser_runs(server):
    for payload in XSS:
        rows = [{"text": payload, "id": payload}]
        body = json.dumps({"rows": rows})
        status, headers, answer = server.ask(
            "POST", "/v1/predict", body, {"Content-Type": "application/json"}
        )
        assert status == 200 and json.loads(answer)["rows"][0]["id"] == payload
        check_safe(headers)
        for wrong in ({"model": payload}, {"label": payload}, {payload: 1}):
            status, headers, answer = server.ask(
                *("POST", "/v1/explain", json.dumps({"text": "a", **wrong})),
                {"Content-Type": "application/json"},
            )
            assert status in (404, 422)
            check_safe(headers)
            assert headers["content-type"] == "application/problem+json"


def check_safe(headers):
    assert headers["x-content-type-options"] == "nosniff"
    assert "html" not in headers["content-type"]
    assert "access-control-allow-origin" not in headers


def test_formulas_do_not_run(server):
    file = io.StringIO()
    rows = [{"id": cell, "text": "great", cell: "x"} for cell in FORMULAS]
    for name in ("id", "note"):
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerow([name, "text"])
        writer.writerows([row["id"], "great " + row["id"]] for row in rows)
        status, _, answer = server.ask(
            *("POST", "/v1/predict?keep=true&text=text", file.getvalue().encode()),
            {"Content-Type": "text/csv"},
        )
        assert status == 200
        cells = [cell for row in csv.reader(io.StringIO(answer.decode())) for cell in row]
        assert len(cells) == 4 * (len(rows) + 1)
        for cell in cells:
            assert not cell.startswith(FORMULA) or cell.lstrip("+-").replace(".", "").isdecimal()


def test_headers_inject_nothing(server):
    for payload in HEADERS:
        raw = f"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {payload}\r\n\r\n"
        with socket.create_connection((server.host, server.port), timeout=5) as connection:
            connection.sendall(raw.encode("latin-1"))
            connection.shutdown(socket.SHUT_WR)
            found = b""
            while piece := connection.recv(65536):
                found += piece
        head = found.partition(b"\r\n\r\n")[0].lower()
        assert found.startswith(b"HTTP/1.1 200 ") and b"set-cookie" not in head
        value = head.partition(b"x-request-id: ")[2].partition(b"\r\n")[0].decode()
        assert value != payload.lower() or payload == "" or payload.isalnum()
    server.log()  # every line is still JSON


OFFERS = [
    b"Connection: Upgrade\r\nUpgrade: x\r\n",
    b"Connection: upgrade\r\nUpgrade: websocket\r\n",
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    b"Upgrade: a\r\nUpgrade: b\r\nConnection: close, upgrade\r\n",
]


def post_head(path, length, more=b""):
    lines = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s"
    return lines % (path, more) + b"Content-Length: %d\r\n\r\n" % length


def talk(server, *pieces):
    """What comes back for raw bytes, until the server closes."""
    with socket.create_connection((server.host, server.port), timeout=10) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(0.05)
        found = b""
        while piece := connection.recv(65536):
            found += piece
        return found


def statuses(found):
    return [int(status) for status in re.findall(rb"HTTP/1.1 (\d+)", found)]


LAST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("offer", OFFERS)
def test_no_request_hides_in_the_body_of_another(server, offer):
    secret = b'{"text": "smuggled", "label": "bad"}'
    inner = post_head(b"/v1/feedback", len(secret)) + secret
    outer = post_head(b"/v1/predict", len(inner), offer)
    split = outer[:20], outer[20:] + inner[:9], inner[9:] + LAST
    for pieces in ((outer + inner + LAST,), (outer, inner + LAST), split):
        found = talk(server, *pieces)
        assert statuses(found) == ([400] if b"close" in offer else [400, 200])
        assert b"not-json" in found
    with closing(sqlite3.connect(server.store)) as store:
        query = "SELECT COUNT(*) FROM feedback WHERE text = 'smuggled'"
        assert store.execute(query).fetchone() == (0,)


@pytest.mark.parametrize("offer", OFFERS)
def test_offers_of_other_protocols_are_ignored(server, offer):
    body = b'{"text": "great"}'
    one = post_head(b"/v1/predict", len(body), offer) + body
    found = talk(server, 3 * one + LAST)
    n_answers = 1 if b"close" in offer else 3
    assert statuses(found)[:3] == [200] * n_answers
    assert found.count(b'"label":"good"') == n_answers


def test_no_proxy(server):
    for target in (b"localhost:80", b"/v1/predict"):
        found = talk(server, b"CONNECT %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % target)
        assert found.startswith(b"HTTP/1.1 400 ") and found.count(b"HTTP/1.1 ") == 1


def test_paths_reach_no_file(server):
    for path in PATHS:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
        connection.putrequest("GET", path)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if path.partition("?")[0] in ("/", "/page.css"):
            assert answer.status == 200
        else:
            assert answer.status in (400, 404, 405) and b"root:" not in body, path


class Attributes(HTMLParser):
    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert not [name for name in names if name.startswith("on") or name == "style"], tag
        for name in ("src", "href"):
            value = dict(attributes).get(name)
            assert value is None or value[0] in "/#" or value == "data:,"


def test_the_page_has_a_strict_policy(server):
    for path in PAGE_FILES:
        status, headers, body = server.ask("GET", path)
        policy = headers["content-security-policy"]
        assert status == 200 and policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy and "*" not in policy and "http" not in policy
        assert "frame-ancestors 'none'" in policy
        assert server.ask("GET", path, headers={"If-None-Match": headers["etag"]})[0] == 304
        text = body.decode()
        assert "innerHTML" not in text and "http://" not in text.replace("http://www.w3.org/", "")
    for path in ("/", "/docs"):
        Attributes().feed(server.ask("GET", path)[2].decode())


def test_other_names_are_refused_without_a_token(server):
    """So a page of another site cannot read answers by a name that it lets point to us."""
    wrong = ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil", ""]
    wrong += ["localhost:80@evil.example", "localhost:evil.example", "[::1]evil.example", "[::1"]
    wrong += ["localhost:", "localhost..", "localhost:80:80", "[::1]:x", "::1", "[localhost]", "."]
    for host in wrong:
        status, _, answer = server.ask("GET", "/v1/models", headers={"Host": host})
        assert (status, json.loads(answer)["type"]) == (400, "urn:wordplane:problem:wrong-host")
    for host in ("localhost", "127.0.0.1:8000", "[::1]:9", "localhost:1", "LOCALHOST.:80", "[::1]"):
        assert server.ask("GET", "/v1/models", headers={"Host": host})[0] == 200


def test_two_names_are_refused(server):
    for second in (b"localhost", b"evil.example"):
        head = b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\nHost: %s\r\n" % second
        found = talk(server, head + b"Connection: close\r\n\r\n")
        assert statuses(found) == [400] and b"more than one header Host" in found


def test_names_of_the_server_are_compared_as_names(models):
    with Server(models / "films.wordplane", "--host-name", "Films.Example.") as running:
        for host in ("films.example", "FILMS.example.:8080"):
            assert running.ask("GET", "/v1/models", headers={"Host": host})[0] == 200
        assert running.ask("GET", "/v1/models", headers={"Host": "x.films.example"})[0] == 400


def test_other_sites_may_not_post(server):
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        headers = {"Content-Type": media_type, "Origin": "http://evil.example"}
        for path in ("/v1/feedback", "/v1/predict", "/v1/explain"):
            assert server.ask("POST", path, '{"text": "a", "label": "good"}', headers)[0] == 415
    status, headers, _ = server.ask("OPTIONS", "/v1/predict", headers={"Origin": "http://x"})
    assert status == 405 and not [name for name in headers if name.startswith("access-control")]


def test_tokens(models, tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef-0123456789\n")
    options = ["--token-file", tmp_path / "token", "--host", "localhost"]
    with Server(models / "films.wordplane", *options) as running:
        wrong = [{}, {"Authorization": "Bearer x"}, {"Authorization": "Basic MDEyMw=="}]
        wrong += [{"Authorization": "Bearer 0123456789abcdef-012345678"}]
        wrong += [{"Authorization": "0123456789abcdef-0123456789"}, {"Authorization": "Bearer é"}]
        for headers in wrong:
            for path in ("/v1/models", "/metrics"):
                status, answered, _ = running.ask("GET", path, headers=headers)
                assert status == 401 and answered["www-authenticate"] == "Bearer"
            assert running.post("/v1/predict", {"text": "a"}, headers)[0] == 401
        right = {"Authorization": "Bearer 0123456789abcdef-0123456789"}
        assert running.post("/v1/predict", {"text": "a"}, right)[0] == 200
        assert running.ask("GET", "/v1/models", headers={**right, "Host": "any.example"})[0] == 200
        for path in ("/", "/healthz", "/readyz", "/openapi.json"):
            assert running.ask("GET", path)[0] == 200
        assert not any("0123456789abcdef" in line for line in running.lines)


def test_other_addresses_need_a_token_or_plain_words():
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(InputError, match="`no_token`"):
            ServeOptions(models=("m",), host=host)
        assert ServeOptions(models=("m",), host=host, no_token=True)
        assert ServeOptions(models=("m",), host=host, token="0123456789abcdef")
    assert ServeOptions(models=("m",), host="::1")
