"""Databases: rows in are rows out, and a run that fails leaves no trace.

Tests of wordplane.data.databases and wordplane.data.formats.database.
"""

import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import wordplane
from tests.costs import peak_bytes
from wordplane import TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError, WordplaneError
from wordplane.data import databases
from wordplane.data.databases import quoted, read_rows, write_rows
from wordplane.data.read import read_batches

TEXTS = ["a great film", "great fun", "a dull film", "dull, long and dull"] * 10
LABELS = ["good", "good", "bad", "bad"] * 10
HOSTILE = ['a"; DROP TABLE mails; --', "sélect", "Robert'); --", "with space", '"']
PASSWORD = "s3cret-word"


def programs():
    """The folder of the programs of PostgreSQL: Debian keeps them out of the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


@contextmanager
def run_server():
    """A server of our own, on loopback, with a password: its address and process."""
    pytest.importorskip("adbc_driver_postgresql")
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    home = Path(tempfile.mkdtemp(prefix="wordplane-postgresql-"))  # others may enter its parents
    user = {}
    if os.getuid() == 0:  # the server refuses to be run by root
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid}
        os.chown(home, nobody.pw_uid, nobody.pw_gid)
    (home / "password").write_text(PASSWORD)
    options = ["-U", "me", "-A", "scram-sha-256", f"--pwfile={home}/password", "-N", "-E", "UTF8"]
    made = [folder / "initdb", "-D", home / "data", "--no-locale", *options]
    subprocess.run(made, check=True, capture_output=True, cwd=home, **user)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [folder / "postgres", "-D", home / "data", "-p", str(port), "-k", home, "-F"]
    command += ["-c", "listen_addresses=127.0.0.1"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=home, **user)
    try:
        for _ in range(100):
            ready = [folder / "pg_isready", "-h", "127.0.0.1", "-p", str(port)]
            if subprocess.run(ready, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        yield f"postgresql://me@127.0.0.1:{port}/postgres", process
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait(timeout=30)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def server():
    with run_server() as (address, _):
        yield address


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["postgresql", "sqlite", "duckdb"])
def database(request, here, monkeypatch):
    """The address of an empty database."""
    if request.param == "postgresql":
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        return request.getfixturevalue("server")
    if request.param == "duckdb":
        pytest.importorskip("duckdb").connect("mails.duckdb").close()
        return "duckdb:///mails.duckdb"
    sqlite3.connect("mails.db").close()
    return "sqlite:///mails.db"


def put(database, table, columns):
    types = {name: type(values[0]) for name, values in columns.items()}
    write_rows([columns], f"{database}?table={escaped(table)}", types, force=True)


def escaped(table):
    from urllib.parse import quote

    return quote(table)


def rows_of(database, table):
    frames = list(read_rows(f"{database}?table={escaped(table)}", None))
    return [row for frame in frames for row in frame.to_dicts()]


@pytest.fixture
def model(here):
    TextClassifier().fit(TEXTS, LABELS).save("m.wordplane")
    return "m.wordplane"


@pytest.mark.slow
def test_train_and_label_from_a_query(database, here, capsys):
    numbers = list(range(len(TEXTS)))
    put(database, "mails", {"number": numbers, "body": TEXTS, "verdict": LABELS})
    query = "select number as id, body as text, verdict as label from mails order by number"
    assert main(["train", database, "--query", query, "-o", "m.wordplane", "--no-test"]) == 0
    expected = wordplane.load("m.wordplane").predict(TEXTS).tolist()
    assert expected == TextClassifier().fit(TEXTS, LABELS).predict(TEXTS).tolist()
    output = f"{database}?table=labels"
    if database.startswith("duckdb"):  # which one connection may write to at a time
        output = "duckdb:///labels.duckdb?table=labels"
    command = ["predict", "m.wordplane", database, "--query", query, "-o", output]
    assert main([*command, "--force"]) == 0
    found = rows_of(output.partition("?")[0], "labels")
    assert [row["id"] for row in found] == [str(number) for number in numbers]
    assert [row["label"] for row in found] == expected
    capsys.readouterr()
    assert main(command) == 2
    assert "table 'labels' exists; name another one" in capsys.readouterr().err
    assert rows_of(output.partition("?")[0], "labels") == found


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_names(database, name):
    put(database, "mails", {"text": ["stays"]})
    columns = {name: ["a", "b"], f"{name}2": [1.5, 2.5]}
    put(database, name, columns)
    assert rows_of(database, name) == [
        {name: "a", f"{name}2": 1.5},
        {name: "b", f"{name}2": 2.5},
    ]
    assert rows_of(database, "mails") == [{"text": "stays"}]


def test_a_failed_write_leaves_everything_as_it_was(database):
    put(database, "mails", {"text": ["old"]})

    def batches():
        yield {"text": ["new"] * 1000}
        raise RuntimeError("halfway")

    address = f"{database}?table=mails"
    with pytest.raises((RuntimeError, WordplaneError), match="halfway"):
        write_rows(batches(), address, {"text": str}, force=True)
    with pytest.raises((RuntimeError, WordplaneError), match="halfway"):
        write_rows(batches(), f"{database}?table=never", {"text": str}, force=False)
    assert rows_of(database, "mails") == [{"text": "old"}]
    with pytest.raises(WordplaneError, match="never"):
        rows_of(database, "never")


@pytest.mark.slow
def test_a_killed_write_leaves_everything_as_it_was(database):
    put(database, "mails", {"text": ["old"]})
    code = """
import os, sys
from wordplane.data import databases
from wordplane.data.databases import write_rows
def batches():
    for _ in range(20):
        yield {"text": ["new"] * 10_000}
    os.kill(os.getpid(), 9)
write_rows(batches(), sys.argv[1], {"text": str}, force=True)
"""
    done = subprocess.run([sys.executable, "-c", code, f"{database}?table=mails"])
    assert done.returncode == -signal.SIGKILL
    assert rows_of(database, "mails") == [{"text": "old"}]


def test_many_rows_come_in_batches(database):
    if database.startswith("sqlite"):
        query = (
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000) "
            "select i as id, 'text ' || i as text from n"
        )
    elif database.startswith("duckdb"):
        query = "select i as id, 'text ' || i as text from range(1, 25001) t(i)"
    else:
        query = "select i as id, 'text ' || i as text from generate_series(1, 25000) i"
    corpora = list(read_batches(database, query=query, batch_size=4000))
    assert sum(map(len, corpora)) == 25_000
    assert max(map(len, corpora)) <= 4000
    texts = [text for corpus in corpora for text in corpus.texts]
    assert texts == [f"text {i}" for i in range(1, 25_001)]
    assert len(wordplane.read(database, query=query)) == 25_000
    with pytest.raises(InputError, match="has no rows"):
        wordplane.read(database, query=f"select * from ({query}) q where text = ''")


def test_what_is_missing_is_said(database, model, capsys):
    assert main(["predict", model, database]) == 2
    assert "--query" in capsys.readouterr().err
    assert main(["predict", model, database, "--query", "select 'a' as text", "-o", database]) == 2
    assert "?table=NAME" in capsys.readouterr().err
    for query in ("selec text", "select nothing", "select * from nothing"):
        assert main(["predict", model, database, "--query", query]) == 2
        assert "cannot be read" in capsys.readouterr().err
    assert main(["predict", model, "m.csv", "--query", "select 1"]) == 2


def test_quoted_names():
    assert quoted('a"b') == '"a""b"'
    with pytest.raises(InputError):
        quoted("a\0b")


def test_a_password_is_never_shown(server, model, monkeypatch, capsys):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    for password in (PASSWORD, "wrong-word"):
        address = server.replace("me@", f"me:{password}@")
        main(["predict", model, address, "--query", "select text from nowhere"])
        main(["predict", model, address, "--query", "select 'a' as text", "-o", "x.csv", "--force"])
        output = f"{address}?table=shown"
        main(["predict", model, address, "--query", "select 'a' as text", "-o", output, "--force"])
        shown = capsys.readouterr()
        assert password not in shown.out + shown.err
        assert "me:***@" in shown.err
    assert "password authentication failed" in shown.err


def test_a_service_file_has_the_password(server, model, here, monkeypatch, capsys):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    port = server.rpartition(":")[2].partition("/")[0]
    lines = ["[shop]", "host=127.0.0.1", f"port={port}", "user=me", f"password={PASSWORD}"]
    (here / "services").write_text("\n".join([*lines, "dbname=postgres", ""]))
    monkeypatch.setenv("PGSERVICEFILE", str(here / "services"))
    address = "postgresql://?service=shop"
    assert main(["predict", model, address, "--query", "select 'great' as text"]) == 0
    assert "good" in capsys.readouterr().out


def test_a_server_that_ends_the_connection(server, model, here, monkeypatch, capsys):
    """As when it is stopped, in the middle of reading and of writing."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    stop = "pg_terminate_backend(pg_backend_pid())"
    query = (
        "select case when i < 300000 then 'great film' "
        f"else {stop}::text end as text from generate_series(1, 400000) i"
    )
    output = f"{server}?table=half"
    assert main(["predict", model, server, "--query", query, "-o", output]) == 1
    said = capsys.readouterr().err
    assert "terminating connection" in said or "closed the connection" in said
    with pytest.raises(WordplaneError, match="half"):
        rows_of(server, "half")


def reviews(n):
    """A query of n texts of 330 bytes, which are made as they are read."""
    text = "repeat('word' || i % 1000 || ' ', 40) || case i % 2 when 0 then 'even' else 'odd' end"
    return f"select {text} as text, i % 2 as label from (select generate_series(1, {n}) as i) n"


def wordplane_process(*arguments):
    command = [sys.executable, "-m", "wordplane", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.clock
def test_a_million_rows_in_bounded_memory(server, here, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    query = reviews(1_000_000)
    train = ["train", server, "--query", query, "--blocks", "--memory", "300MB", "--no-test"]
    train += ["--learner", "nb", "--ngrams", "1,1", "--threads", "1", "-o", "m.wordplane"]
    output = f"{server}?table=million"
    predict = ["predict", "m.wordplane", server, "--query", query, "-o", output, "--threads", "1"]
    for command in (train, predict):
        assert peak_bytes(command, here) < 600e6  # the texts alone have 330 MB
    count = "select count(*) as n, count(label) as labeled from million"
    (frame,) = read_rows(server, count)
    assert frame.to_dicts() == [{"n": 1_000_000, "labeled": 1_000_000}]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["train", "predict"])
def test_a_server_stopped_midway(model, here, monkeypatch, verb):
    """As by pg_ctl stop -m immediate: one error, and nothing half written."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    (here / "scratch").mkdir()
    before = sorted(path.name for path in here.iterdir())
    with run_server() as (address, process):
        source = [address, "--query", reviews(10**9)]
        if verb == "train":
            options = ["--blocks", "--scratch", "scratch", "--learner", "nb", "-o", "new.wordplane"]
            command = wordplane_process("train", *source, *options)
        else:
            command = wordplane_process("predict", model, *source, "-o", "out.csv")
        deadline = time.monotonic() + 120
        while not half_written(here) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert half_written(here)
        assert command.poll() is None
        process.send_signal(signal.SIGQUIT)
        said = command.communicate(timeout=120)[1]
    assert command.returncode == 1
    assert said.count("cannot be read") == 1
    assert "Traceback" not in said
    assert sorted(path.name for path in here.iterdir()) == before
    assert not list((here / "scratch").rglob("*-blocks-*"))


def half_written(folder):
    """Whether some 100 kB are in files that are being written."""
    drafts = [*folder.glob(".wordplane-*"), *folder.glob("scratch/*/*")]
    return sum(draft.stat().st_size for draft in drafts if draft.is_file()) > 100_000


def test_uuids_are_text(server, model, here, monkeypatch, capsys):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    one = "0e85cd50-0000-4000-8000-00000000000a"
    query = f"select '{one}'::uuid as id, 'great' as text union all select null, 'dull'"
    assert main(["predict", model, server, "--query", query]) == 0
    assert f"{one},good" in capsys.readouterr().out


@pytest.mark.parametrize(
    "query", [None, "select text from Same where text > 'a'", 'select * from "same"']
)
def test_the_table_that_is_read_cannot_be_replaced(database, model, capsys, query):
    put(database, "same", {"text": ["great", "dull"]})
    table = f"{database}?table=same"
    reading = [table] if query is None else [database, "--query", query]
    assert main(["predict", model, *reading, "-o", table, "--force"]) == 2
    assert "table 'same' is also read by this command; name another one" in capsys.readouterr().err
    assert rows_of(database, "same") == [{"text": "great"}, {"text": "dull"}]


def test_a_table_of_a_file_that_is_read_is_not_replaced(here, model, capsys):
    put("sqlite:///mails.db", "same", {"text": ["great", "dull"]})
    for data in ("mails.db", "ma*.db"):
        command = ["predict", model, data, "-o", "sqlite:///mails.db?table=same", "--force"]
        assert main(command) == 2
        assert "table 'same' is also read by this command" in capsys.readouterr().err
        assert rows_of("sqlite:///mails.db", "same") == [{"text": "great"}, {"text": "dull"}]
    assert main(["predict", model, "mails.db", "-o", "sqlite:///mails.db?table=new"]) == 0
    assert len(rows_of("sqlite:///mails.db", "new")) == 2


def test_a_table_is_replaced_when_asked(database, model, capsys):
    put(database, "kept", {"text": ["great", "dull"]})
    write = ["predict", model, "m.csv", "-o", f"{database}?table=kept"]
    Path("m.csv").write_text("text\na great film\n")
    assert main(write) == 2
    said = "table 'kept' exists; name another one, or overwrite it with --force"
    assert said in capsys.readouterr().err
    assert rows_of(database, "kept") == [{"text": "great"}, {"text": "dull"}]
    assert main([*write, "--force"]) == 0
    assert [row["label"] for row in rows_of(database, "kept")] == ["good"]


def test_a_replaced_table_is_not_waited_for(server, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setattr(databases, "LOCK_SECONDS", 1)
    put(server, "same", {"text": ["great", "dull"]})
    rows = read_rows(f"{server}?table=same", None)
    next(rows)
    with pytest.raises(WordplaneError, match="is being read, here or elsewhere"):
        put(server, "same", {"text": ["fine"]})
    rows.close()


def test_one_line_for_what_cannot_be_a_frame_or_a_table(server, model, monkeypatch, capsys):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    twice = ["--query", "select 'great' as text, 'dull' as text"]
    assert main(["predict", model, server, *twice]) != 0
    assert "more than one occurrence" in capsys.readouterr().err
    output = ["-o", f"{server}?table={'x' * 64}"]
    assert main(["predict", model, server, "--query", "select 'great' as text", *output]) != 0
    assert "a name of more than 63 bytes" in capsys.readouterr().err


@pytest.fixture
def two_files(here):
    """A SQLite file, and another with a secret."""
    for name, text in (("d.db", "great"), ("secret.db", "secret")):
        connection = sqlite3.connect(name)
        connection.execute("create table t (text)")
        connection.execute("insert into t values (?)", (text,))
        connection.execute("create virtual table words using fts5(text)")
        connection.execute("create virtual table places using rtree(id, low, high)")
        connection.execute("insert into words values (?)", (f"a {text} film",))
        connection.execute("insert into places values (1, 2.0, 3.0)")
        connection.commit()
        connection.close()
    return here


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("attach 'secret.db' as other", "ATTACH"),
        ("attach 'new.db' as other", "ATTACH"),
        ("vacuum into 'new.db'", "ATTACH"),
        ("detach other", "DETACH"),
        ("pragma query_only = off", "PRAGMA query_only"),
        ("pragma journal_mode = delete", "PRAGMA journal_mode"),
        ("select * from pragma_database_list", "PRAGMA database_list"),
        ("select load_extension('x.so') as text", "the function load_extension"),
        ("select load_extension('x.so', 'main') as text from t", "the function load_extension"),
        ("delete from t", "a change of it"),
        ("insert into t values ('more') returning text", "a change of it"),
        ("create temp table u as select * from t", "a change of it"),
    ],
)
def test_a_query_on_a_sqlite_file_only_reads_it(two_files, model, capsys, query, what):
    before = (two_files / "d.db").read_bytes()
    assert main(["predict", model, "sqlite:///d.db", "--query", query]) == 2
    said = f"sqlite:///d.db: the query may only read this file: {what} is refused"
    assert said in capsys.readouterr().err
    assert (two_files / "d.db").read_bytes() == before and not (two_files / "new.db").exists()


@pytest.mark.parametrize(
    "query",
    [
        "select text from words where words match 'great'",
        "select upper(t.text) as text from t, places where low > 1",
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) "
        "select 'great ' || i as text from n order by i desc",
        "select name as text from pragma_table_info('t')",
    ],
)
def test_queries_of_sqlite_that_only_read(two_files, model, query):
    assert main(["predict", model, "sqlite:///d.db", "--query", query, "-q"]) == 0


@pytest.mark.parametrize(
    "query",
    [
        "attach 'other.db' as other",
        "select content as text from read_text('secret.txt')",
        "copy (select 'great' as text) to 'new.csv'",
        "attach 'other.db' as other; select text from other.t",
    ],
)
def test_a_query_on_a_duckdb_file_only_reads_it(here, model, capsys, query):
    duckdb = pytest.importorskip("duckdb")
    (here / "secret.txt").write_text("great")
    for name in ("d.db", "other.db"):
        with duckdb.connect(name) as connection:
            connection.execute("create table t as select 'great' as text")
    assert main(["predict", model, "duckdb:///d.db", "--query", query]) != 0
    assert "duckdb:///d.db: cannot be read" in capsys.readouterr().err
    assert not (here / "new.csv").exists()


def test_a_duckdb_file_reads_no_other_files(here, model, capsys):
    duckdb = pytest.importorskip("duckdb")
    (here / "secret.txt").write_text("great")
    with duckdb.connect("d.db") as connection:
        connection.execute("create view v as select content as text from read_text('secret.txt')")
        connection.execute("create table t as select 'great' as text, interval 1 day as length")
    assert main(["predict", model, "duckdb:///d.db?table=v"]) != 0
    assert "disabled" in capsys.readouterr().err
    both = ["duckdb:///d.db?table=t", "-o", "duckdb:///d.db?table=o"]
    assert main(["predict", model, *both]) != 0
    assert "write to another file" in capsys.readouterr().err
