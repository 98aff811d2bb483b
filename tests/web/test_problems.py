"""Errors from every source have the same shape."""

import re
from collections.abc import Iterator

import httpx
import pytest

from homeshelf import errors
from homeshelf.errors import HomeshelfError
from homeshelf.table import BadRequest, ItemTooLarge, Unavailable
from homeshelf.web.problems import problem, to_homeshelf_error
from tests.home import new_home
from tests.pages import look
from tests.running import RunningApp, problem_of

CODES = """
validation unauthenticated forbidden no_family choose_family not_found version_conflict duplicate
last_admin in_use already_reviewed wrong_state item_unavailable expired too_many too_large
rate_limited idempotency_mismatch unavailable unreadable
"""


def situations(kind: type[HomeshelfError] = HomeshelfError) -> Iterator[type[HomeshelfError]]:
    for below in kind.__subclasses__():
        if below.code != "error":
            yield below
        yield from situations(below)


def test_error_codes_are_unique() -> None:
    """A subclass that only adds details shares its parent's code."""
    found = [situation.code for situation in situations() if "code" in vars(situation)]
    assert sorted(found) == sorted(CODES.split())


def test_docstring_lists_every_error_with_its_status() -> None:
    assert errors.__doc__ is not None
    drawn: dict[str, int] = {}
    status = 0
    for line in errors.__doc__.splitlines()[3:]:
        found = re.match(r"[│├└─ ]*(\d{3})? *[└─ ]*(\w+) ", line)
        assert found, line
        status = int(found[1] or status)
        drawn[found[2]] = status
    assert drawn == {situation.__name__: situation.status for situation in situations()}


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        (ItemTooLarge("hunter2"), 413, "too_large"),
        (BadRequest("hunter2"), 400, "validation"),
        (Unavailable("hunter2"), 503, "unavailable"),
        (RuntimeError("hunter2"), 500, "error"),
    ],
)
def test_table_errors_become_problems(raised: Exception, status: int, code: str) -> None:
    found = to_homeshelf_error(raised)
    assert (found.status, found.code) == (status, code)
    assert b"hunter2" not in bytes(problem(found).body)


@pytest.mark.parametrize(("seconds", "header"), [(0, "1"), (0.2, "1"), (1.0, "1"), (59.1, "60")])
def test_retry_after_is_at_least_one_whole_second(seconds: float, header: str) -> None:
    assert problem(errors.RateLimited(seconds)).headers["retry-after"] == header


async def test_framework_errors_are_problems(running: RunningApp) -> None:
    ada = await running.person("ada")
    nowhere = await ada.get("/nowhere")
    assert problem_of(nowhere) == (404, "not_found")
    assert nowhere.json() == {
        "type": "/problems/not_found",
        "title": "Not Found",
        "status": 404,
        "detail": "There’s nothing here.",
        "code": "not_found",
    }
    wrong_method = await ada.put("/me", {})
    assert problem_of(wrong_method) == (405, "not_found")
    assert wrong_method.headers["allow"] == "DELETE, GET, HEAD, PATCH"


async def test_every_response_has_the_common_headers(running: RunningApp) -> None:
    ada = await running.person("ada")
    for answer in (await ada.get("/me"), await ada.get("/nowhere"), await ada.patch("/me", [])):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert len(answer.headers["x-request-id"]) == 36


async def test_bad_fields_are_reported_by_path(running: RunningApp) -> None:
    ada = await running.person("ada")
    answer = await ada.patch("/me/preferences", {"theme": 1, "mail": "x", "colour": {}})
    assert answer.json()["errors"] == [
        {"field": "theme", "message": "Choose auto, light or dark."},
        {"field": "mail", "message": "Choose off, now or daily."},
        {"field": "colour", "message": "There’s no such field."},
    ]


async def test_single_bad_field_is_the_detail(running: RunningApp) -> None:
    ada = await running.person("ada")
    answer = await ada.patch("/me", {"name": ""})
    assert answer.json()["detail"] == "Enter a name of up to 100 characters."


async def test_conflict_shows_the_current_record(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    stale = await home.admin.patch("/family", {"name": "Den", "version": 7})
    assert problem_of(stale) == (409, "version_conflict")
    assert stale.json()["current"] == (await home.admin.get("/family")).json()


async def test_unavailable_database_returns_503_with_retry_after(running: RunningApp) -> None:
    ada = await running.person("ada")
    await running.db.close()
    for answer in (
        await ada.get("/me"),
        await ada.post("/tokens", {"email": ada.email, "password": ada.password}),
        await ada.patch("/me/preferences", {"theme": "dark"}, key="k"),
        await ada.client.get("/readyz"),
    ):
        assert problem_of(answer) == (503, "unavailable")
        assert int(answer.headers["retry-after"]) >= 1
    assert (await ada.client.get("/healthz")).status_code == 200


async def test_unavailable_page_links_to_itself(running: RunningApp) -> None:
    """Other error pages link to Home, because a retry would not help."""
    somebody = running.visitor().client
    html = {"Accept": "text/html"}
    await running.db.close()
    away = await somebody.get("/readyz?one=1&two=2", headers=html)
    assert (away.status_code, away.headers["retry-after"]) == (503, "2")
    assert 'href="/readyz?one=1&amp;two=2">Try again</a>' in away.text
    nowhere = await somebody.get("/nowhere", headers=html)
    assert nowhere.status_code == 404
    assert 'href="/">Go home</a>' in nowhere.text


async def test_unexpected_error_reveals_no_details(running: RunningApp) -> None:
    @running.app.post("/api/v1/boom")
    async def boom() -> None:
        raise RuntimeError("hunter2")

    transport = httpx.ASGITransport(running.app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://home.test") as client:
        answer = await client.post("/api/v1/boom", json={})
    assert problem_of(answer) == (500, "error")
    assert "hunter2" not in answer.text
    assert len(answer.headers["x-request-id"]) == 36


async def test_error_page_keeps_the_navigation_of_its_caller(running: RunningApp) -> None:
    home = await new_home(running, "Lovelace", "ada")
    kid, gone = [await home.with_member(name, "suggester") for name in ("kid", "gone")]
    await home.remove_member(gone)
    other = await new_home(running, "Hopper", "grace")
    nowhere = "/no/such/page"
    stranger = await look(running.visitor(), nowhere, 404)
    assert "Lovelace" not in stranger.words
    assert "/stock" not in stranger.links
    for who, family in ((gone, "Homeshelf"), (other.admin, "Hopper"), (kid, "Lovelace")):
        page = await look(who, nowhere, 404)
        assert page.words.startswith(f"Skip to content {family} ")
        assert {"/", "/stock", "/list", "/books"} <= {*page.links}
    refused = await look(kid, "/family/invite", 403)
    assert "/wishes" in refused.links
    assert "/stock/new" not in refused.links
