"""The server under load, over loopback: server and generator share the cores, one worker.

Speed is measured by wrk in turns with what a user would write instead: a Starlette endpoint that
reads the body and answers a constant, and FastAPI with a pipeline of scikit-learn (tf-idf of words
and bigrams, logistic regression). Only ratios of one run count.

What must hold under stress is checked by a generator of our own, whose requests carry ids:

    overload    4 times the connections that fill the server; every request is answered with its
                own id; how long accepted ones take, and whether memory grows
    slow        200 clients that send a byte a second
    kill        kill -9 of a worker under load
    swaps       100 swaps of the model under load, 20 of them with damaged files

Run by itself: `python -m benchmarks.serving [speed] [overload] [slow] [kill] [swaps]`, which takes
ten minutes. It needs wrk and, for the comparison, FastAPI. Figures: benchmarks/results/serving.md.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

import wordplane
from benchmarks.harness import Subject, dataset

CONSTANT = """
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def answer(request):
    await request.body()
    return JSONResponse({"model": "m", "rows": [{"id": "1", "label": "a", "probability": 0.9}]})

app = Starlette(routes=[Route("/v1/predict", answer, methods=["POST"])])
"""
FASTAPI = """
import joblib
from fastapi import FastAPI
from pydantic import BaseModel

pipeline = joblib.load("pipeline.joblib")
app = FastAPI()

class Body(BaseModel):
    text: str

@app.post("/v1/predict")
def answer(body: Body):
    chances = pipeline.predict_proba([body.text])[0]
    k = int(chances.argmax())
    return {"label": str(pipeline.classes_[k]), "probability": float(chances[k])}
"""
SECONDS = 5
CONNECTIONS = 16
HEAD = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def main(rounds, quick, parts=("speed", "overload", "slow", "kill", "swaps")):
    snippets = dataset("rt_snippets")
    if snippets is None or shutil.which("wrk") is None:
        print("serving needs the film-review snippets and wrk: left out")
        return
    subject = Subject("serving", rounds)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), list(snippets.texts), list(snippets.labels), subject, quick)
        for part in parts:
            getattr(bench, part)()


class Bench:
    """A model, what to send, and the measurements."""

    def __init__(self, folder, texts, labels, subject, quick):
        self.folder, self.subject, self.quick = folder, subject, quick
        self.short = [text for text in texts[1::2] if len(text.split()) == 20]
        self.texts, self.labels = texts[::2], labels[::2]
        self.model = wordplane.TextClassifier().fit(self.texts, self.labels)
        self.model.save(folder / "m.wordplane")

    def speed(self):
        self.one_text()
        self.thousand_texts()
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            with wordplane_server(self.folder):
                seconds.append(time.perf_counter() - start)
        size = (self.folder / "m.wordplane").stat().st_size / 1e6
        self.subject.amount(f"start with {size:.0f} MB", "wordplane", "seconds", min(seconds))

    def one_text(self):
        bodies = [json.dumps({"text": text}) for text in self.short]
        script = wrk_script(self.folder / "one.lua", bodies)
        (self.folder / "constant.py").write_text(CONSTANT)
        servers = {"wordplane": wordplane_server, "Starlette, constant": constant_server}
        if self.make_pipeline():
            servers["FastAPI, scikit-learn"] = fastapi_server
        rates = {tool: [] for tool in servers}
        for _ in range(self.subject.rounds):
            for tool, start in servers.items():
                with start(self.folder) as port:
                    wrk(port, script, 1)
                    rates[tool].append(wrk(port, script, SECONDS))
        for tool, found in rates.items():
            self.subject.amount("one short text", tool, "requests/s", max(found))
        goals = {"Starlette, constant": 0.5, "FastAPI, scikit-learn": 20}
        for peer in servers:
            if peer != "wordplane":
                single = [a / b for a, b in zip(rates["wordplane"], rates[peer], strict=True)]
                ratio = max(rates["wordplane"]) / max(rates[peer])
                self.subject.ratio("one short text", "wordplane", peer, ratio, goals[peer], single)

    def make_pipeline(self):
        try:
            import fastapi  # noqa: F401
            import joblib
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.linear_model import LogisticRegression
            from sklearn.pipeline import make_pipeline
        except ImportError as error:
            print(f"no {error.name}: FastAPI with scikit-learn is left out")
            return False
        vectorizer = TfidfVectorizer(ngram_range=(1, 2))
        pipeline = make_pipeline(vectorizer, LogisticRegression(max_iter=1000))
        joblib.dump(pipeline.fit(self.texts, self.labels), self.folder / "pipeline.joblib")
        (self.folder / "with_fastapi.py").write_text(FASTAPI)
        return True

    def thousand_texts(self):
        texts = (self.short * 1000)[:1000]
        script = wrk_script(self.folder / "many.lua", [json.dumps({"texts": texts})])
        n_rows = 100_000
        (self.folder / "rows.txt").write_text("\n".join((texts * 1000)[:n_rows]) + "\n")
        command = [sys.executable, "-m", "wordplane", "predict", "m.wordplane", "rows.txt"]
        served, read = [], []
        for _ in range(self.subject.rounds):
            with wordplane_server(self.folder) as port:
                wrk(port, script, 1, connections=2)
                served.append(1000 * wrk(port, script, SECONDS, connections=2))
            start = time.perf_counter()
            subprocess.run(command, cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
            read.append(n_rows / (time.perf_counter() - start))
        self.subject.amount("1,000 texts", "wordplane serve", "rows/s", max(served))
        self.subject.amount("1,000 texts", "wordplane predict", "rows/s", max(read))
        single = [a / b for a, b in zip(served, read, strict=True)]
        ratio = max(served) / max(read)
        self.subject.ratio(
            "1,000 texts", "wordplane serve", "wordplane predict", ratio, 0.6, single
        )

    def overload(self):
        seconds = 20 if self.quick else 300
        with wordplane_server(self.folder) as port:
            pid = child_of(port.process.pid)
            asyncio.run(Load(port, self.short).run(4 * CONNECTIONS, 20))  # to warm up
            half = asyncio.run(Load(port, self.short).run(CONNECTIONS // 2, 15))
            before = memory(pid)
            full = asyncio.run(Load(port, self.short).run(4 * CONNECTIONS, seconds))
            growth = memory(pid) / before
        report = self.subject.amount
        report("half load", "wordplane", "p99 ms", half.p99())
        report("overload", "wordplane", "p99 ms", full.p99())
        report("overload", "wordplane", "p99 of half", full.p99() / half.p99(), limit=10)
        report("overload", "wordplane", "memory of before", growth, limit=1.05)
        report("overload", "wordplane", "requests", full.n(), note=str(full.statuses))
        report("overload", "wordplane", "wrong", full.n_wrong)

    def slow(self):
        with wordplane_server(self.folder) as port:
            slow = [socket.create_connection(("127.0.0.1", int(port))) for _ in range(200)]
            stop = threading.Event()

            def drip():
                heads = f"{HEAD}Content-Length: 100000\r\n\r\n".encode()
                for k in range(1000):
                    for i, connection in enumerate(slow):
                        with suppress(OSError):
                            connection.send(
                                heads[k : k + 1] if i % 2 else heads if k == 0 else b"x"
                            )
                    if stop.wait(1):
                        return

            thread = threading.Thread(target=drip)
            thread.start()
            found = asyncio.run(Load(port, self.short).run(4, 15))
            stop.set()
            thread.join()
        note = str(found.statuses)
        self.subject.amount("beside 200 slow clients", "wordplane", "p99 ms", found.p99(), note)
        self.subject.amount("beside 200 slow clients", "wordplane", "wrong", found.n_wrong)

    def kill(self):
        with wordplane_server(self.folder, "--workers", "2") as port:
            supervisor = port.process.pid
            gaps = []

            def kill_some():
                for _ in range(5):
                    time.sleep(1)
                    victim = child_of(supervisor)
                    os.kill(victim, signal.SIGKILL)
                    start = time.perf_counter()
                    while len(children(supervisor)) < 2 or victim in children(supervisor):
                        time.sleep(0.005)
                    gaps.append(time.perf_counter() - start)

            thread = threading.Thread(target=kill_some)
            thread.start()
            found = asyncio.run(Load(port, self.short).run(8, 8))
            thread.join()
        note = f"{found.statuses}, {found.n_lost} connections of killed workers lost"
        self.subject.amount("kill -9 of a worker", "wordplane", "seconds", max(gaps), note, limit=2)
        self.subject.amount("kill -9 of a worker", "wordplane", "wrong", found.n_wrong)

    def swaps(self):
        n = 10 if self.quick else 100
        opposite = dict(zip(self.model.classes_, self.model.classes_[::-1], strict=True))
        other = wordplane.TextClassifier(learner="nb")
        other.fit(self.texts, [opposite[label] for label in self.labels])
        other.save(self.folder / "other")
        shutil.copy(self.folder / "m.wordplane", self.folder / "first")
        data = bytearray((self.folder / "first").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "damaged").write_bytes(data)
        with wordplane_server(self.folder, "--workers", "2", log=True) as port:

            def swap():
                for k in range(n):
                    name = "damaged" if k % 5 == 4 else ("other", "first")[k % 2]
                    event = "model-not-loaded" if name == "damaged" else "models-loaded"
                    before = port.count(event)
                    shutil.copy(self.folder / name, self.folder / "new")
                    (self.folder / "new").replace(self.folder / "m.wordplane")
                    while port.count(event) == before:
                        time.sleep(0.02)
                load.stop = True

            load = Load(port, self.short)
            thread = threading.Thread(target=swap)
            thread.start()
            found = asyncio.run(load.run(8, 1000))
            thread.join()
            loaded, failed = port.count("models-loaded"), port.count("model-not-loaded")
        shutil.copy(self.folder / "first", self.folder / "m.wordplane")
        note = f"{found.statuses}, {loaded} loaded, {failed} damaged"
        wrong = found.n_wrong + found.n_lost
        self.subject.amount("swaps under load", "wordplane", "swaps", loaded + failed, note)
        self.subject.amount("swaps under load", "wordplane", "wrong or lost", wrong)


class Load:
    """Connections that ask one after the other; answers must have the ids of their requests."""

    def __init__(self, port, texts):
        self.port, self.texts = port, texts
        self.statuses, self.seconds = {}, []
        self.n_wrong = self.n_lost = 0
        self.stop = False

    async def run(self, n_connections, seconds):
        until = time.monotonic() + seconds
        await asyncio.gather(*(self.ask(k, until) for k in range(n_connections)))
        return self

    async def ask(self, k, until):
        number, reader, writer = 0, None, None
        while time.monotonic() < until and not self.stop:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            number += 1
            id, text = f"{k}-{number}", self.texts[(k + number) % len(self.texts)]
            body = json.dumps({"rows": [{"text": text, "id": id}]}).encode()
            writer.write(f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            start = time.perf_counter()
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(re.search(rb"content-length: (\d+)", head)[1])
                answer = await reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError):
                self.n_lost += 1
                writer.close()
                writer = None
                continue
            seconds = time.perf_counter() - start
            status = int(head[9:12])
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status == 200:
                self.seconds.append(seconds)
                if json.loads(answer)["rows"][0]["id"] != id:
                    self.n_wrong += 1
            elif status in (429, 503):
                await asyncio.sleep(0.001)
            else:
                self.n_wrong += 1
            if b"connection: close" in head:
                writer.close()
                writer = None
        if writer is not None:
            writer.close()

    def p99(self):
        return 1e3 * float(np.percentile(self.seconds, 99))

    def n(self):
        return sum(self.statuses.values())


class Port(int):
    """A port, and the process and the log behind it."""

    process = None
    lines = ()

    def count(self, event):
        return sum(f'"event": "{event}"' in line for line in list(self.lines))


@contextmanager
def wordplane_server(folder, *options, log=False):
    command = [sys.executable, "-m", "wordplane", "serve", "m.wordplane", "--port", "0", *options]
    errors = subprocess.PIPE if log else subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True
    )
    port = Port(re.search(r":(\d+)/", process.stdout.readline())[1])
    port.process, port.lines = process, []
    if log:

        def keep():
            for line in process.stderr:
                if '"event":"request"' not in line:
                    port.lines.append(line)

        threading.Thread(target=keep, daemon=True).start()
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


def constant_server(folder):
    return uvicorn_server(folder, "constant:app")


def fastapi_server(folder):
    return uvicorn_server(folder, "with_fastapi:app")


@contextmanager
def uvicorn_server(folder, app):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--port", str(port), "--no-access-log", "--log-level", "warning"]
    command = [sys.executable, "-m", "uvicorn", app, *options]
    process = subprocess.Popen(command, cwd=folder)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


def wrk_script(path, bodies):
    """A script for wrk that sends the bodies in turns."""
    quoted = ",".join(json.dumps(body) for body in bodies)
    path.write_text(
        'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
        f"local bodies, i = {{{quoted}}}, 0\n"
        "request = function()\n"
        "  i = i % #bodies + 1\n  return wrk.format(nil, nil, nil, bodies[i])\nend\n"
    )
    return path


def wrk(port, script, seconds, connections=CONNECTIONS):
    """Requests in a second."""
    url = f"http://127.0.0.1:{int(port)}/v1/predict"
    options = ["-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script)]
    done = subprocess.run(["wrk", *options, url], capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout:
        raise RuntimeError(done.stdout)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])


def children(pid):
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def child_of(pid):
    return children(pid)[0]


def memory(pid):
    """KiB that a process has of its own."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(n) for n in re.findall(r"Private_\w+:\s+(\d+)", text))


if __name__ == "__main__":
    main(3, False, tuple(sys.argv[1:]) or ("speed", "overload", "slow", "kill", "swaps"))
