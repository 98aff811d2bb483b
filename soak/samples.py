"""Samples of the server's resource use, and the limits on its growth."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import apsw

from bench.processes import cpu_seconds, pss_bytes
from homeshelf.table import TABLES
from soak.person import Measurements
from tests.processes import Served


@dataclass(frozen=True)
class Sample:
    hour: float
    """Hours since the start, by the server's clock."""
    memory: int
    files: int
    """Bytes of the database and the other files in its folder."""
    records: int
    """Bytes of all records that have not expired."""
    open_files: int
    p50: float
    p95: float
    baseline: float
    """The median response time of `/healthz`."""
    cpu: float
    """CPU seconds since the start of the process."""
    request_count: int


Samples = Sequence[Sample]


@dataclass(frozen=True)
class Limit:
    name: str
    measure: Callable[[Samples], float]
    template: str
    factor: float
    margin: float
    """At the end, at most `factor` times the value of the beginning, plus `margin`."""
    is_relative: bool = False
    """True if the limit grows as much as the response time of `/healthz`."""


def _median(name: str, scale: float) -> Callable[[Samples], float]:
    return lambda samples: median(getattr(each, name) for each in samples) * scale


def _file_ratio(samples: Samples) -> float:
    """Return the bytes of files for each byte of records."""
    return median(each.files / each.records for each in samples)


def _cpu_per_request(samples: Samples) -> float:
    """Return the milliseconds of CPU for each request."""
    return (
        (samples[-1].cpu - samples[0].cpu)
        / max(1, samples[-1].request_count - samples[0].request_count)
        * 1e3
    )


LIMITS = (
    Limit("memory (PSS)", _median("memory", 1e-6), "{:.1f} MB", 1.05, 2),
    Limit("files, per byte of records", _file_ratio, "{:.2f}", 1.1, 0),
    Limit("open files", _median("open_files", 1), "{:.0f}", 1, 8),
    Limit("response, median", _median("p50", 1e3), "{:.1f} ms", 1.5, 1, is_relative=True),
    Limit("response, p95", _median("p95", 1e3), "{:.1f} ms", 1.5, 5, is_relative=True),
    Limit("CPU for a response", _cpu_per_request, "{:.2f} ms", 1.25, 0.2),
)


@dataclass(frozen=True)
class Verdict:
    name: str
    begin: float
    end: float
    at_most: float
    template: str

    @property
    def is_met(self) -> bool:
        return self.end <= self.at_most

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.is_met}


def take_sample(
    homeshelf: Served, data: Path, now: int, hour: float, measured: Measurements
) -> Sample:
    pid, (times, baseline) = (
        homeshelf.process.pid,
        (each or [0.0] for each in measured.take_response_times()),
    )
    return Sample(
        hour,
        pss_bytes(pid),
        sum(path.stat().st_size for path in data.iterdir()),
        _bytes_of_records(data / "homeshelf.db", now),
        len(list(Path(f"/proc/{pid}/fd").iterdir())),
        median(times),
        quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
        median(baseline),
        cpu_seconds(pid),
        measured.request_count,
    )


def _bytes_of_records(path: Path, now: int) -> int:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return sum(
            connection.execute(_UNEXPIRED_BYTES.format(table.name), (now,)).get or 0
            for table in TABLES
        )


_UNEXPIRED_BYTES = "SELECT sum(length(item)) FROM \"{}\" WHERE coalesce(item ->> '$.ttl', 9e99) > ?"


def verdicts(samples: Samples) -> list[Verdict]:
    """Compare the last fifth of the second day with the first."""
    second = [each for each in samples if each.hour >= 24]
    fifth = max(2, len(second) // 5)
    begin, end = second[:fifth], second[-fifth:]
    return [_verdict(limit, begin, end) for limit in LIMITS]


def _verdict(limit: Limit, begin: Samples, end: Samples) -> Verdict:
    before = limit.measure(begin)
    slower = max(1.0, _baseline(end) / _baseline(begin)) if limit.is_relative else 1.0
    at_most = (before * limit.factor + limit.margin) * slower
    return Verdict(limit.name, before, limit.measure(end), at_most, limit.template)


def _baseline(samples: Samples) -> float:
    return median(each.baseline for each in samples) or 0.001
