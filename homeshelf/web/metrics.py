"""How many requests of which kind, and how long they took."""

from prometheus_client import REGISTRY, Counter, Histogram, generate_latest

REQUESTS = Counter("homeshelf_requests", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram(
    "homeshelf_request_seconds",
    "How long requests took.",
    ["route"],
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5),
)


def observe(method: str, route: str, status: int, seconds: float) -> None:
    REQUESTS.labels(method, route, status).inc()
    SECONDS.labels(route).observe(seconds)


def rendered() -> bytes:
    return generate_latest(REGISTRY)
