"""Many concurrent clients, each with its own loopback address, in a separate process.

The separate process keeps the CPU of the clients out of the measurement of the server:

    crowd = Crowd(url, connections=1000)
    answers = crowd.at_once([[Ask("GET", "/healthz")] * 1000] * 20)
"""

import gc
import json
import resource
import select
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import quantiles
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlsplit

ADDRESSES = 250
PATIENCE_SECONDS = 60.0
READ_BYTES = 16 * 1024
LENGTH = b"content-length: "
LOOK_SECONDS = 0.002
PAUSE_SECONDS = 1.0
"""Between two rounds: what is counted behind the answers has its time, as it has in a day."""


@dataclass(frozen=True)
class Ask:
    method: str
    path: str
    body: str = ""
    key: str = ""
    authorization: str = ""

    def encode(self, host: str) -> bytes:
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {host}", "Accept-Encoding: gzip"]
        if self.body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        if self.key:
            lines.append(f"Idempotency-Key: {self.key}")
        if self.authorization:
            lines.append(f"Authorization: {self.authorization}")
        return "\r\n".join([*lines, "", self.body]).encode()


@dataclass
class Answers:
    seconds: list[list[float]] = field(default_factory=list)
    """The waiting time of each client, round by round."""
    statuses: dict[str, int] = field(default_factory=dict)
    took: float = 0.0

    @property
    def p95(self) -> float:
        return quantiles([each for seconds in self.seconds for each in seconds], n=20)[-1]

    @property
    def p95s(self) -> list[float]:
        """Return the 95th percentile of each round."""
        return [quantiles(seconds, n=20)[-1] for seconds in self.seconds]

    @property
    def count(self) -> int:
        return sum(self.statuses.values())

    def others(self, status: int) -> int:
        """Return the number of responses with another status."""
        return self.count - self.statuses.get(str(status), 0)


class Crowd:
    def __init__(self, url: str, connections: int, pause: float = PAUSE_SECONDS) -> None:
        self._plan = {"netloc": urlsplit(url).netloc, "connections": connections}
        self._pause = pause

    def at_once(self, rounds: Sequence[Sequence[Ask]]) -> Answers:
        """Send all requests at the same instant, in rounds; the wait counts from that instant."""
        wired = [[asdict(each) for each in asks] for asks in rounds]
        return self._sent("at_once", rounds=wired, pause=self._pause)

    def one_by_one(self, asks: Sequence[Ask]) -> Answers:
        return self._sent("one_by_one", asks=list(map(asdict, asks)))

    def _sent(self, kind: str, **plan: Any) -> Answers:
        return run_in_process({"kind": kind, **self._plan, **plan})


def run_in_process(plan: dict[str, Any]) -> Answers:
    """Run a plan in a separate process."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.crowd"],
        input=json.dumps(plan),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return Answers(**json.loads(ran.stdout))


def run_plan(plan: dict[str, Any]) -> Answers:
    asking = _Asking(plan)
    asks: Callable[[dict[str, Any]], Answers] = getattr(asking, plan["kind"])
    try:
        return asks(plan)
    finally:
        asking.close()


class _Line:
    """A connection from an address of its own."""

    def __init__(self, number: int, host: str, port: int) -> None:
        self.socket = socket.socket()
        self.socket.bind((f"127.1.{number % ADDRESSES}.1", 0))
        self.socket.connect((host, port))
        self.socket.setblocking(False)
        self._read = b""

    def send(self, request: bytes) -> None:
        assert self.socket.send(request) == len(request)

    def status(self) -> bytes | None:
        """Return the status of the response once it is complete."""
        read = self._read + self.socket.recv(READ_BYTES)
        assert read, "the connection was closed"
        end = read.find(b"\r\n\r\n") + 4
        if end > 3 and len(read) >= end + _length(read):
            self._read = b""
            return read[9:12]
        self._read = read
        return None


def _length(read: bytes) -> int:
    """Return the length that a complete head declares."""
    at = read.find(LENGTH) + len(LENGTH)
    return int(read[at : read.find(b"\r", at)]) if at >= len(LENGTH) else 0


class _Asking:
    def __init__(self, plan: dict[str, Any]) -> None:
        host, _, port = plan["netloc"].partition(":")
        self.host = plan["netloc"]
        lines = [_Line(number, host, int(port)) for number in range(plan["connections"])]
        self.lines = lines
        self.by_file = {line.socket.fileno(): line for line in lines}
        self.poll = select.epoll()
        for file in self.by_file:
            self.poll.register(file, select.EPOLLIN)
        self.seen: Counter[bytes] = Counter()

    def encode(self, asks: Sequence[dict[str, str]]) -> list[bytes]:
        return [Ask(**each).encode(self.host) for each in asks]

    def answered(self, timeout: float) -> list[tuple[_Line, float]]:
        """Return the connections with a complete response, and when it arrived."""
        found = []
        for file, _ in self.poll.poll(timeout):
            line = self.by_file[file]
            status = line.status()
            if status is not None:
                found.append((line, perf_counter()))
                self.seen[status] += 1
        return found

    def close(self) -> None:
        self.poll.close()
        for line in self.lines:
            line.socket.close()

    @property
    def statuses(self) -> dict[str, int]:
        return {status.decode(): count for status, count in self.seen.items()}

    def at_once(self, plan: dict[str, Any]) -> Answers:
        every = []
        for asks in plan["rounds"]:
            requests = self.encode(asks)
            seconds: list[float] = []
            sleep(plan["pause"])
            began = perf_counter()
            for line, request in zip(self.lines, requests, strict=True):
                line.send(request)
            while len(seconds) < len(requests):
                assert perf_counter() - began < PATIENCE_SECONDS, "no answer"
                sleep(LOOK_SECONDS)  # to be woken by each answer would slow down the answering
                seconds += [at - began for _, at in self.answered(1.0)]
            every.append(seconds)
        return Answers(every, self.statuses)

    def one_by_one(self, plan: dict[str, Any]) -> Answers:
        seconds = []
        for number, request in enumerate(self.encode(plan["asks"])):
            began = perf_counter()
            self.lines[number % len(self.lines)].send(request)
            while not (found := self.answered(PATIENCE_SECONDS)):
                pass
            seconds.append(found[0][1] - began)
        return Answers([seconds], self.statuses)


def main() -> None:
    plan = json.load(sys.stdin)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.disable()
    json.dump(asdict(run_plan(plan)), sys.stdout)


if __name__ == "__main__":
    main()
