"""Whatever the published contract allows is asked of a real server, which keeps to it."""

from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from schemathesis.openapi import from_dict
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.published import document
from tests.served import Served, served

PASSWORD = "correct horse battery"
NO_LIMITS = {
    "HOMESHELF_LIMIT_WRITES": "100000/s",
    "HOMESHELF_LIMIT_SIGNUPS": "100000/h",
}
STREAMS = ("/api/v1/events", "/api/v1/shareables/{shortId}/events")
OPERATIONS = {
    f"{operation.method.upper()} {operation.path}": operation
    for found in from_dict(document()).get_all_operations()
    if isinstance(found, Ok) and (operation := found.ok()).path not in STREAMS
}
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
_names = count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(Path(tmp_path_factory.mktemp("served")), **NO_LIMITS) as homeshelf:
        yield homeshelf


def test_all_that_is_published_is_asked() -> None:
    published = [(path, method) for path, found in document()["paths"].items() for method in found]
    assert len(OPERATIONS) == len([path for path, _ in published if path not in STREAMS])


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_keeps_to_what_it_publishes(server: Served, name: str) -> None:
    _ask_much(server, name, 3)


@pytest.mark.torture
@pytest.mark.parametrize("name", OPERATIONS)
def test_it_keeps_to_what_it_publishes_for_long(server: Served, name: str) -> None:
    _ask_much(server, name, 200)


def _ask_much(server: Served, name: str, times: int) -> None:
    operation = OPERATIONS[name]
    token = _readers_token if name.startswith("GET ") else _token
    headers = {"Authorization": f"Bearer {token(server.url)}"}

    @settings(
        max_examples=times,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        answer = case.call(base_url=server.url, headers=headers)
        case.validate_response(answer, checks=CHECKS)

    ask()


@cache
def _readers_token(url: str) -> str:
    """Of somebody who only reads, and may do so for all operations."""
    return _token(url)


def _token(url: str) -> str:
    """Of somebody new with a family of their own."""
    who = {"email": f"ada{next(_names)}@home.local", "password": PASSWORD}
    with httpx.Client(base_url=f"{url}/api/v1") as client:
        assert client.post("/accounts", json=who | {"name": "Ada"}).is_success
        token: str = client.post("/tokens", json=who).json()["accessToken"]
        client.headers["Authorization"] = f"Bearer {token}"
        assert client.post("/families", json={"name": "Lovelace"}).is_success
    return token
