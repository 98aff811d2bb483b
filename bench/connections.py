"""The cost of 2,000 silent connections and 300 unfinished bodies, and others' delay."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import quantiles
from urllib.parse import urlsplit

from bench import processes
from bench.figures import Figure
from bench.part import Part, Report
from bench.server import Server, serving

MORE, SLOWEST, P95, REFUSED = (
    "additional memory at the peak",
    "the slowest response to the other client",
    "responses to the other client, p95",
    "requests of the other client without a response",
)
ELSEWHERE = "127.0.0.250"
BETWEEN_SECONDS = 0.02
PATIENCE_SECONDS = 10


@dataclass(frozen=True)
class Sizes:
    silent: int = 2000
    unfinished: int = 300
    addresses: int = 50
    seconds: float = 15.0


def run(report: Report, sizes: Sizes) -> None:
    with serving() as server, ExitStack() as stack:
        _ask(server)
        before = most = processes.pss_bytes(server.pid)
        report.step(f"{sizes.silent:,} silent, {sizes.unfinished} unfinished")
        attackers = [
            stack.enter_context(_attacker(server, kind, connections, sizes))
            for kind, connections in (("silent", sizes.silent), ("bodies", sizes.unfinished))
        ]
        took: list[float] = []
        refused = 0
        while any(attacker.poll() is None for attacker in attackers) or not took:
            try:
                took.append(_ask(server))
            except (OSError, AssertionError):
                refused += 1
            most = max(most, processes.pss_bytes(server.pid))
            time.sleep(BETWEEN_SECONDS)
        for attacker, connections in zip(attackers, (sizes.silent, sizes.unfinished), strict=True):
            assert int(attacker.communicate()[0]) >= connections, "too few attacked"
    report.measured(MORE, (most - before) / 1e6)
    report.measured(SLOWEST, max(took))
    report.measured(P95, quantiles([*took, *took], n=20)[-1])
    report.measured(REFUSED, refused)


@contextmanager
def _attacker(
    server: Server, kind: str, connections: int, sizes: Sizes
) -> "Iterator[subprocess.Popen[str]]":
    command = [sys.executable, "-m", "tests.serving.attacker", kind]
    command += [str(urlsplit(server.url).port), "--connections", str(connections)]
    command += ["--addresses", str(sizes.addresses), "--seconds", str(sizes.seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attacker:
        try:
            yield attacker
        finally:
            attacker.kill()


def _ask(server: Server) -> float:
    """Return the seconds until a new client at another address gets a response."""
    at = urlsplit(server.url)
    began = time.monotonic()
    with socket.create_connection(
        (at.hostname or "", at.port or 0), PATIENCE_SECONDS, (ELSEWHERE, 0)
    ) as client:
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200")
    return time.monotonic() - began


PART = Part(
    about=(
        "For 15 seconds, 2,000 silent connections and 300 requests with endless bodies from "
        "50 addresses, each reopened when the server closes it. In the meantime, another "
        "client sends 50 requests a second, each over a new connection."
    ),
    figures=[
        Figure(MORE, "MB", 60),
        Figure(SLOWEST, "time"),
        Figure(P95, "time"),
        Figure(REFUSED, "count", 0),
    ],
    run=run,
    full=Sizes(),
    tiny=Sizes(5, 2, 1, 0.2),
    seconds=60,
)
