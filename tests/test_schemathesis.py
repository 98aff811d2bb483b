"""Send requests that the OpenAPI document allows to a real server, and check the responses."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.openapi import from_dict
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.forked_processes import served
from tests.one_of_each import Furnished, one_of_each
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import SmtpServers
from tests.processes import Served
from tests.routes import document

NO_LIMITS = {
    "HOMESHELF_LIMIT_WRITES": "100000/s",
    "HOMESHELF_LIMIT_SIGNUPS": "100000/h",
    "HOMESHELF_LIMIT_STREAMS": "100000",
    "HOMESHELF_LIMIT_SHARE_STREAMS": "100000",
    "HOMESHELF_LIMIT_UNKNOWN": "100000/s",
    "HOMESHELF_LIMIT_LINKS": "100000/s",
    "HOMESHELF_LIMIT_SIGNINS": "100000/s",
    "HOMESHELF_LIMIT_SIGNINS_ADDRESS": "100000/s",
    "HOMESHELF_LIMIT_SHARES": "100000/s",
    "HOMESHELF_LIMIT_UNLOCKED": "100000/s",
    "HOMESHELF_LIMIT_SHARE_WRITES": "100000/s",
    "HOMESHELF_LIMIT_SHARE_WRITES_LIST": "100000/s",
}
PATHS = document()["paths"]
OPERATIONS = {
    f"{operation.method.upper()} {operation.path}": operation
    for found in from_dict(document()).get_all_operations()
    if isinstance(found, Ok)
    for operation in [found.ok()]
}
STREAMS = {
    f"GET {path}"
    for path, found in PATHS.items()
    if "text/event-stream" in str(found.get("get", {}).get("responses"))
}
ALONE = {
    "POST /api/v1/families": "who is in two families is asked which one",
    "POST /api/v1/suggestions": "a child may have become an adult",
    "POST /api/v1/nfc-urls/{urlId}/rotate": "the tag has another address afterwards",
    "PATCH /api/v1/shareables/{shortId}": "a new passcode shuts out the others",
}
"""The operations that need a family of their own, with the reason."""
NOTHING_IS_WRONG = {
    "GET /api/v1/taps/{urlId}",
    "GET /api/v1/shareables/{shortId}",
    "DELETE /api/v1/shareables/{shortId}",
    "DELETE /api/v1/shareables/{shortId}/items/{checklistItemId}",
}
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, smtp_servers: SmtpServers) -> Iterator[Served]:
    folder = Path(tmp_path_factory.mktemp("served"))
    office = PostOffice(folder / "post", smtp_servers)
    office.open()
    with served(folder, **NO_LIMITS, **office.variables, HOMESHELF_METRICS="anyone") as homeshelf:
        yield homeshelf
        said = homeshelf.log.read_text()
    office.close()
    assert "unforeseen" not in said


def test_every_documented_operation_is_requested() -> None:
    published = [f"{method.upper()} {path}" for path, of in PATHS.items() for method in of]
    assert sorted(OPERATIONS) == sorted(published)


@pytest.mark.parametrize("name", OPERATIONS)
def test_responses_match_the_document(server: Served, name: str) -> None:
    _ask_much(server, name, 3)


@pytest.mark.parametrize("name", OPERATIONS)
def test_responses_match_the_document_for_any_caller_and_error(server: Served, name: str) -> None:
    theirs = None if name in ALONE else _family_for(server, name)
    _ask_much(server, name, 2, "nobody", theirs=theirs)
    if name not in NOTHING_IS_WRONG:
        _ask_much(server, name, 2, mode=GenerationMode.NEGATIVE, theirs=theirs)


@pytest.mark.torture
@pytest.mark.parametrize("name", OPERATIONS)
def test_responses_match_the_document_in_many_requests(server: Served, name: str) -> None:
    _ask_much(server, name, 200)


@pytest.mark.torture
@pytest.mark.parametrize("name", OPERATIONS)
def test_responses_match_the_document_in_many_requests_of_any_caller(
    server: Served, name: str
) -> None:
    _ask_much(server, name, 30, "nobody")
    _ask_much(server, name, 20, "child")


@pytest.mark.torture
@pytest.mark.parametrize("name", OPERATIONS)
def test_responses_match_the_document_in_many_invalid_requests(server: Served, name: str) -> None:
    in_vain = pytest.raises(Unsatisfiable) if name in NOTHING_IS_WRONG else nullcontext()
    with in_vain:
        _ask_much(server, name, 30, mode=GenerationMode.NEGATIVE)


def _ask_much(
    server: Served,
    name: str,
    times: int,
    who: str = "parent",
    mode: GenerationMode = GenerationMode.POSITIVE,
    theirs: Furnished | None = None,
) -> None:
    operation = OPERATIONS[name]
    theirs = theirs or _family_for(server, name)
    headers = _borne(theirs, "child" if name == "POST /api/v1/suggestions" else who)
    turn = count()

    @settings(
        max_examples=times,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if next(turn) % 2 and isinstance(case.path_parameters, dict):
            case.path_parameters |= {id_: theirs.ids[id_] for id_ in case.path_parameters}
        (case.headers or {}).pop("Homeshelf-Member", None)  # anybody else's is refused at once
        with requests.Session() as session:
            sent = case.as_transport_kwargs(base_url=server.url, headers=headers)
            answer = session.request(**sent, stream=True, timeout=30)
            if name in STREAMS and answer.status_code == 200:
                _look_at_the_beginning(answer)
            else:
                case.validate_response(answer, checks=CHECKS)

    ask()


def _family_for(server: Served, name: str) -> Furnished:
    alone = name.startswith("DELETE ") or name in ALONE
    return one_of_each(server.url) if alone else _lived_in(server.url)


def _borne(theirs: Furnished, who: str) -> Mapping[str, str]:
    tokens = {"parent": theirs.token, "child": theirs.kids_token}
    return {"Authorization": f"Bearer {tokens[who]}"} if who in tokens else {}


def _look_at_the_beginning(answer: requests.Response) -> None:
    assert answer.headers["content-type"].partition(";")[0] == "text/event-stream"
    assert next(answer.iter_lines()) == b": homeshelf"


@cache
def _lived_in(url: str) -> Furnished:
    return one_of_each(url)
