"""Who may ask: those who know the token; where there is none, who call the server by its name."""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from functools import lru_cache

from wordplane.serving.problems import Problem, shorten
from wordplane.serving.request import Request
from wordplane.serving.settings import ListenOptions

HOST = re.compile(r"(\[(?P<ip6>[0-9a-f.]*:[0-9a-f:.]*)\]|(?P<name>[a-z0-9._-]+))(:[0-9]+)?")
WITH_TOKEN = ("/v1/", "/metrics")  # all other paths are open


class Access:
    """Refuses requests by their token and the header Host."""

    def __init__(self, options: ListenOptions) -> None:
        self._token = options.token
        names = ("localhost", socket.gethostname(), options.host, *options.host_names)
        self._names = {name.lower().removesuffix(".") for name in names}

    def check(self, request: Request, path: str) -> None:
        if self._token is None:
            self._check_host(request)
        elif path.startswith(WITH_TOKEN):
            scheme, _, token = request.header(b"authorization").partition(" ")
            right = hmac.compare_digest(token.strip().encode(), self._token.encode())
            if scheme.lower() != "bearer" or not right:
                raise Problem(
                    "no-token",
                    "the token is missing or wrong",
                    advice="send the header Authorization: Bearer TOKEN",
                )

    def _check_host(self, request: Request) -> None:
        """Without a token, a page of another site could reach us by a name that it controls.
        Addresses are safe: whoever is called by one is not called by a name."""
        host = host_name(request.header(b"host"))
        if host not in self._names and not is_address(host):
            raise Problem(
                "wrong-host",
                f"the header Host is {shorten(request.header(b'host'))}",
                advice="use the address that the server printed, or start it with --host-name",
            )


def host_name(header: str) -> str:
    """The name in a header Host, or "" if it is anything else than a name and perhaps a port.

    >>> host_name("LocalHost.:8000"), host_name("[::1]:80"), host_name("localhost:80@example.org")
    ('localhost', '::1', '')
    """
    match = HOST.fullmatch(header.lower())
    return "" if match is None else match["ip6"] or match["name"].removesuffix(".")


@lru_cache(maxsize=256)
def is_address(host: str) -> bool:
    """
    >>> is_address("192.0.2.1"), is_address("::1"), is_address("example.org")
    (True, True, False)
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
