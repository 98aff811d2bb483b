"""The house at rest: how long it takes to open, and what it costs while nobody comes."""

import tempfile
import time
from pathlib import Path
from statistics import median

from bench import processes
from bench.report import Report
from tests.served import served

STARTS = 5
SETTLED_SECONDS = 2.0
IDLE_SECONDS = 10.0
SERVING_WITHIN_SECONDS = 1.5
MEMORY_AT_MOST_MB = 80.0


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with served(folder):
            pass  # the first start makes the database
        took = []
        for _ in range(STARTS):
            began = time.perf_counter()
            with served(folder):
                took.append(time.perf_counter() - began)
        report.bound(
            "from command to serving, warm",
            median(took),
            "{:.2f} s",
            at_most=SERVING_WITHIN_SECONDS,
        )
        for workers in (1, 2):
            _rest(report, folder, workers)


def _rest(report: Report, folder: Path, workers: int) -> None:
    with served(folder, "--workers", str(workers), HOMESHELF_LOG_LEVEL="error") as homeshelf:
        time.sleep(SETTLED_SECONDS)
        found = processes.family(homeshelf.process.pid)
        memory = sum(map(processes.pss_bytes, found)) / 1e6
        cpu = sum(map(processes.cpu_seconds, found))
        written = _written(folder)
        time.sleep(IDLE_SECONDS)
        busy = (sum(map(processes.cpu_seconds, found)) - cpu) / IDLE_SECONDS
        writes = int(_written(folder) != written)
    what = f"{workers} serving"
    if workers == 1:
        report.bound(f"idle memory, {what}, PSS", memory, "{:.1f} MB", at_most=MEMORY_AT_MOST_MB)
    else:
        report.figure(f"idle memory, {what}, PSS", f"{memory:.1f} MB")
    report.figure(f"idle CPU, {what}", f"{busy:.2%}")
    report.bound(f"idle writes, {what}", writes, "{:.0f}", at_most=0)


def _written(folder: Path) -> list[tuple[str, int, int]]:
    """What changes with every write: the files of the database."""
    files = sorted((folder / "data").glob("homeshelf.db*"))
    return [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
