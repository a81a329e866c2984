"""A server on loopback for tests, started as users start it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

START = "\nfrom wordplane.cli import command\ncommand()"


class Server:
    """`wordplane serve` with its log; at the end it is stopped, and must have ended well."""

    def __init__(self, *arguments, cwd=None, patch=None, verb="serve"):
        """`patch` is code that runs before, and may change what it likes."""
        start = ["-m", "wordplane"] if patch is None else ["-c", patch + START]
        command = [sys.executable, *start, verb, *map(str, arguments), "--port", "0"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd
        )
        self.lines, self._entries = [], []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        first = self.process.stdout.readline()
        found = re.search(r"https?://(\S+):(\d+)/", first)
        if found is None:
            self.__exit__()
            raise AssertionError(f"{first!r} {self.lines}")
        self.host, self.port = found[1].strip("[]"), int(found[2])
        self.address = found[0].removesuffix("/")

    def _read_log(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def log(self):
        """The lines of the log so far, each of which must be a JSON object."""
        self._entries += [json.loads(line) for line in self.lines[len(self._entries) :]]
        return self._entries

    def wait_for_log(self, event, seconds=5.0, **details):
        """The first line about an event that is there in time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for line in self.log():
                if line["event"] == event and details.items() <= line.items():
                    return line
            time.sleep(0.02)
        raise AssertionError(f"no {event} {details} in {self.lines[-5:]}")

    def ask(self, method, path, body=None, headers=(), timeout=60):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def post(self, path, given, headers=()):
        """Status and JSON of the answer to a JSON body."""
        body = given if isinstance(given, bytes) else json.dumps(given)
        headers = {"Content-Type": "application/json", **dict(headers)}
        status, _, answer = self.ask("POST", path, body, headers)
        return status, json.loads(answer)

    def get(self, path, headers=()):
        status, _, answer = self.ask("GET", path, headers=headers)
        return status, json.loads(answer)

    def workers(self):
        """The process ids of the workers."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(child) for child in children.split()]

    def cpu_seconds(self):
        """What the workers have used so far."""
        ticks = 0
        for pid in self.workers():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def peak_memory(self, reset=False):
        """The most MiB that a worker has had, since it was last reset."""
        peaks = []
        for pid in self.workers():
            status = Path(f"/proc/{pid}/status").read_text()
            peaks.append(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024)
            if reset:
                Path(f"/proc/{pid}/clear_refs").write_text("5")
        return max(peaks)

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        code = self.process.wait(40)
        self._reader.join(5)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.process.stdout.close()
        self.process.stderr.close()
