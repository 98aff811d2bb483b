"""How many requests of which kind, and how long they took, over all serving processes.

Several processes count into files of the folder that PROMETHEUS_MULTIPROC_DIR names, and whichever
is asked adds them up; one process counts in its memory.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from homeshelf.table import Unreadable

BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

Observe = Callable[[str, str, int, float], None]


def observe(method: str, route: str, status: int, seconds: float) -> None:
    counts = _counts()
    # Clients choose the method: each name would be counted by itself for ever.
    counts.requests.labels(method if method in METHODS else "other", route, status).inc()
    counts.seconds.labels(route).observe(seconds)


def count_unreadable(unreadable: Unreadable) -> None:
    _counts().unreadable.labels(unreadable.key.table.name).inc()


def rendered() -> bytes:
    _counts()
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it ships no types for it
    return generate_latest(registry)


@dataclass(frozen=True)
class _Counts:
    requests: Counter
    seconds: Histogram
    unreadable: Counter


@cache
def _counts() -> _Counts:
    return _Counts(
        Counter("homeshelf_requests", "Requests answered.", ["method", "route", "status"]),
        Histogram(
            "homeshelf_request_seconds", "How long requests took.", ["route"], buckets=BUCKETS
        ),
        Counter("homeshelf_unreadable_records", "Records met that nobody can read.", ["table"]),
    )
