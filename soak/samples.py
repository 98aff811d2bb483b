"""The samples of the server every few seconds, and their limits."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import apsw

from bench.processes import cpu_seconds, pss_bytes
from homeshelf.table import TABLES
from soak.person import Answers
from tests.processes import Served


@dataclass(frozen=True)
class Sample:
    hour: float
    """The hours since the start by the server's clock."""
    memory: int
    files: int
    """Bytes of the database and of what is kept beside it."""
    records: int
    """Bytes of all records that are not over."""
    open_files: int
    p50: float
    p95: float
    constant: float
    """The median of answers for which nothing is looked up."""
    cpu: float
    """Seconds since the beginning."""
    answers: int


Some = Sequence[Sample]


@dataclass(frozen=True)
class Bar:
    what: str
    of: Callable[[Some], float]
    shown: str
    times: float
    more: float
    """At the end it may be so many times what it was at the beginning, and so much more."""
    by_machine: bool = False
    """True if it may take as much longer as an answer does for which nothing is looked up."""


def _median(name: str, scale: float) -> Callable[[Some], float]:
    return lambda some: median(getattr(each, name) for each in some) * scale


def _files(some: Some) -> float:
    """Return the size of files that must not grow; the records of the family may."""
    return median(each.files / each.records for each in some)


def _cpu(some: Some) -> float:
    """Milliseconds for each answer."""
    return (some[-1].cpu - some[0].cpu) / max(1, some[-1].answers - some[0].answers) * 1e3


BARS = (
    Bar("memory (PSS)", _median("memory", 1e-6), "{:.1f} MB", 1.05, 2),
    Bar("files, for a byte of records", _files, "{:.2f}", 1.1, 0),
    Bar("open files", _median("open_files", 1), "{:.0f}", 1, 8),
    Bar("an answer, the median", _median("p50", 1e3), "{:.1f} ms", 1.5, 1, by_machine=True),
    Bar("an answer, p95", _median("p95", 1e3), "{:.1f} ms", 1.5, 5, by_machine=True),
    Bar("CPU for an answer", _cpu, "{:.2f} ms", 1.25, 0.2),
)


@dataclass(frozen=True)
class Verdict:
    what: str
    begin: float
    end: float
    at_most: float
    shown: str

    @property
    def is_met(self) -> bool:
        return self.end <= self.at_most

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.is_met}


def sampled(homeshelf: Served, data: Path, now: int, hour: float, answers: Answers) -> Sample:
    pid, (many, constant) = homeshelf.process.pid, (each or [0.0] for each in answers.taken())
    return Sample(
        hour,
        pss_bytes(pid),
        sum(path.stat().st_size for path in data.iterdir()),
        _bytes_of_records(data / "homeshelf.db", now),
        len(list(Path(f"/proc/{pid}/fd").iterdir())),
        median(many),
        quantiles(many, n=20)[-1] if len(many) > 1 else many[0],
        median(constant),
        cpu_seconds(pid),
        answers.number,
    )


def _bytes_of_records(path: Path, now: int) -> int:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return sum(
            connection.execute(_LIVING.format(table.name), (now,)).get or 0 for table in TABLES
        )


_LIVING = "SELECT sum(length(item)) FROM \"{}\" WHERE coalesce(item ->> '$.ttl', 9e99) > ?"


def verdicts(samples: Some) -> list[Verdict]:
    """The second day: its first fifth, and its last."""
    second = [each for each in samples if each.hour >= 24]
    fifth = max(2, len(second) // 5)
    begin, end = second[:fifth], second[-fifth:]
    return [_verdict(bar, begin, end) for bar in BARS]


def _verdict(bar: Bar, begin: Some, end: Some) -> Verdict:
    before = bar.of(begin)
    slower = max(1.0, _constant(end) / _constant(begin)) if bar.by_machine else 1.0
    at_most = (before * bar.times + bar.more) * slower
    return Verdict(bar.what, before, bar.of(end), at_most, bar.shown)


def _constant(some: Some) -> float:
    return median(each.constant for each in some) or 0.001
