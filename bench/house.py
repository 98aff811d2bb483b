"""The house at rest: how long it takes to open, and what it costs while nobody comes."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.report import Report

STARTS = 5
SETTLED_SECONDS = 2.0
COMMAND = [str(Path(sys.executable).with_name("homeshelf")), "serve", "--port"]


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with _served(folder):
            pass  # the first start makes the database
        took = []
        for _ in range(STARTS):
            with _served(folder) as (_, seconds):
                took.append(seconds)
        report.figure("from command to serving, warm", f"{median(took):.2f} s", "at most 2 s")
        for workers in (1, 2):
            with _served(folder, "--workers", str(workers)) as (pid, _):
                time.sleep(SETTLED_SECONDS)
                found = _processes(pid)
                memory = sum(map(_pss, found)) / 1024
                before = sum(map(_cpu, found))
                time.sleep(SETTLED_SECONDS)
                busy = (sum(map(_cpu, found)) - before) / SETTLED_SECONDS
            limit = "at most 90 MB" if workers == 1 else ""
            report.figure(f"idle memory, {workers} serving, PSS", f"{memory:.1f} MB", limit)
            report.figure(f"idle CPU, {workers} serving", f"{busy:.1%}")


@contextmanager
def _served(folder: str, *options: str) -> Iterator[tuple[int, float]]:
    """The process that was started, and how long it took to answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, str(port), *options],
        env={**os.environ, "HOMESHELF_DATA_DIR": folder, "HOMESHELF_LOG_LEVEL": "error"},
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield process.pid, time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _wait_for(port: int) -> None:
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/readyz")
            assert connection.getresponse().status == 200
        except ConnectionRefusedError:
            time.sleep(0.002)
        else:
            return
        finally:
            connection.close()


def _processes(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def _pss(pid: int) -> int:
    """In kB: what is shared counts in parts."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _cpu(pid: int) -> float:
    """Seconds so far, in the process and in the system for it."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
