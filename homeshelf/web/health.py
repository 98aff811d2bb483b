"""Health checks and metrics for operators."""

import os
from functools import cache

from fastapi import APIRouter, Request, Response
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from homeshelf import ip
from homeshelf.coordination.signing_keys import Secret
from homeshelf.errors import NotFound, Unavailable
from homeshelf.table import TableError, Unreadable
from homeshelf.web.forwarding import is_forwarded
from homeshelf.web.json import Json
from homeshelf.web.services import Db, TheServices

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def healthz() -> Response:
    return Json({"status": "alive"})


@router.get("/readyz")
async def readyz(db: Db) -> Response:
    try:
        await db.get(Secret.key())
    except TableError:
        raise Unavailable(2) from None
    return Json({"status": "ready"})


@router.get("/metrics")
async def metrics(request: Request, services: TheServices) -> Response:
    match services.settings.metrics:
        case "off":
            raise NotFound
        case "local" if not _is_local(request):
            raise NotFound
    return Response(render_metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _is_local(request: Request) -> bool:
    """Return whether a request comes from this machine and through no proxy."""
    address = ip.address(request.client.host) if request.client else None
    return address is not None and address.is_loopback and not is_forwarded(request.scope)


BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5)
REQUESTS = Counter("homeshelf_requests", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram(
    "homeshelf_request_seconds", "How long requests took.", ["route"], buckets=BUCKETS
)
UNREADABLE = Counter("homeshelf_unreadable_records", "Records met that nobody can read.", ["table"])
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def observe(method: str, route: str, status: int, seconds: float) -> None:
    # Clients choose the method, and each new label would stay in memory for ever.
    requests, durations = _counters_of(method if method in METHODS else "other", route, status)
    requests.inc()
    durations.observe(seconds)


@cache  # looking up a label takes longer than counting
def _counters_of(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, status), SECONDS.labels(route)


def count_unreadable(unreadable: Unreadable) -> None:
    UNREADABLE.labels(unreadable.key.table.name).inc()


def render_metrics() -> bytes:
    """Return the metrics of all processes.

    Workers count into files in PROMETHEUS_MULTIPROC_DIR, which are added up here.
    """
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it ships no types for it
    return generate_latest(registry)
