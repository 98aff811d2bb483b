"""Test that no caller outside of a family can read or change anything of it, on any route."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

import pytest

from homeshelf import clock
from homeshelf.accounts.tokens import web_token
from homeshelf.app import create_app
from homeshelf.config.values import Rate
from homeshelf.table.expressions import Item
from homeshelf.web.paging import Paging
from tests.api_client import RawResponse, call_app
from tests.databases import ENGINES, tables
from tests.fixtures_security import (
    MARK,
    PUBLIC_ROUTES,
    ROUTES_BY_ADDRESS,
    EndedCredentials,
    Victim,
    for_each_route,
    make_ended_credentials,
    make_victim,
)
from tests.home import new_home
from tests.routes import Route, every_form, every_route
from tests.running import SETTINGS, Person, RunningApp, running_app

SAME = {"sec-fetch-site": "same-origin"}
ROUTES = every_route(create_app(SETTINGS))
PROTECTED = [route for route in ROUTES if route.access]
IN_FAMILY = [route for route in PROTECTED if route.access != "person"]
PERSONAL = [route for route in PROTECTED if route.access == "person"]
FORMS = [route for route in PROTECTED if route.is_page and route.method == "POST" and route.names]
OF_A_ROLE = [route for route in ROUTES if route.access in ("admin", "suggester")]


class Onlookers:
    def __init__(self, running: RunningApp) -> None:
        self._running = running
        self._known: dict[bool, Person] = {}

    async def one_for(self, route: Route) -> Person:
        is_child = route.access == "suggester"
        if is_child not in self._known:
            self._known[is_child] = await _neighbour(self._running, route)
        return self._known[is_child]


@pytest.fixture(scope="module", params=ENGINES)
async def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RunningApp]:
    folder = tmp_path_factory.mktemp("strangers")
    often = Rate(99_999, 60)  # strangers try more than anybody may
    async with (
        tables(request, folder) as open_another,
        running_app(open_another(), limit_unknown=often, limit_links=often) as running,
    ):
        yield running


@pytest.fixture(scope="module")
async def victim(running: RunningApp) -> Victim:
    return await make_victim(running)


@pytest.fixture(scope="module")
async def tickets(victim: Victim) -> EndedCredentials:
    return await make_ended_credentials(victim.home)


@pytest.fixture(scope="module")
async def belongings(victim: Victim, tickets: EndedCredentials) -> list[Item]:  # noqa: ARG001  # made before
    return await victim.everything()


@pytest.fixture(scope="module")
def onlookers(running: RunningApp) -> Onlookers:
    return Onlookers(running)


@pytest.fixture(autouse=True)
async def unharmed(victim: Victim, belongings: list[Item]) -> AsyncIterator[None]:
    yield
    before = [*belongings]
    belongings[:] = await victim.everything()
    assert belongings == before


def test_every_route_declares_its_access() -> None:
    nameless = {route.path for route in ROUTES if route.access is None}
    unlisted = {
        path
        for path in nameless
        if path not in PUBLIC_ROUTES and not path.startswith((*ROUTES_BY_ADDRESS,))
    }
    assert unlisted == set()
    assert len(IN_FAMILY) > 20


@for_each_route(PROTECTED)
async def test_anonymous_caller_gets_401(running: RunningApp, victim: Victim, route: Route) -> None:
    for ids in (victim.ids, {}):
        answer = await _ask(running, None, route, ids)
        if route.is_page:
            assert answer.status == 303
            assert answer.headers["location"].startswith("/sign-in")
        else:
            assert (answer.status, answer.code) == (401, "unauthenticated")


@for_each_route(PROTECTED)
async def test_other_family_gets_404(
    running: RunningApp, victim: Victim, onlookers: Onlookers, route: Route
) -> None:
    looks = route.method == "GET"
    neighbour = await (onlookers.one_for(route) if looks else _neighbour(running, route))
    answer = await _ask(running, neighbour, route, victim.ids)
    if route.names:
        assert answer.status in _nothing(route)
    if _refers_to(route.body(victim.ids), victim):
        assert answer.status >= 400


@for_each_route(FORMS)
async def test_other_family_changes_nothing_by_a_form(
    running: RunningApp, victim: Victim, route: Route
) -> None:
    neighbour = await _neighbour(running, route)
    answers = [
        (await _ask(running, neighbour, route, victim.ids, form=form)).status
        for form in every_form(victim.ids)
    ]
    assert 404 in answers
    assert set(answers) <= {*_nothing(route)}


@for_each_route(IN_FAMILY)
async def test_header_with_another_family_grants_nothing(
    running: RunningApp, victim: Victim, onlookers: Onlookers, route: Route
) -> None:
    neighbour = await onlookers.one_for(route)
    chosen = {"homeshelf-family": victim.home.family_id}
    answer = await _ask(running, neighbour, route, victim.ids, chosen)
    assert (answer.status, answer.code) == (404, None if route.is_page else "not_found")


async def test_tokens_of_another_person_do_nothing(running: RunningApp, victim: Victim) -> None:
    admin = victim.home.admin
    session = await running.session_of(admin.member_id)
    cookie = f"homeshelf={web_token(running.signer, session, victim.home.family_id)}"
    meant = {"homeshelf-member": victim.suggester.member_id}
    for route in PROTECTED:
        for person, by in ((admin, {}), (None, SAME | {"cookie": cookie})):
            answer = await _ask(running, person, route, victim.ids, by | meant)
            if route.is_page:
                assert answer.status in (303, 401), str(route)
                assert "location" not in answer.headers or "/sign-in" in answer.headers["location"]
            else:
                assert (answer.status, answer.code) == (401, "unauthenticated"), str(route)


@for_each_route(IN_FAMILY)
async def test_removed_member_gets_403(running: RunningApp, victim: Victim, route: Route) -> None:
    answer = await _ask(running, victim.removed, route, victim.ids)
    if route.is_page:
        assert (answer.status, answer.headers["location"]) == (303, "/families/new")
    else:
        assert (answer.status, answer.code) == (403, "no_family")
    chosen = {"homeshelf-family": victim.home.family_id}
    answer = await _ask(running, victim.removed, route, victim.ids, chosen)
    assert (answer.status, answer.code) == (404, None if route.is_page else "not_found")


@for_each_route(PERSONAL)
async def test_removed_member_sees_only_own_data(
    running: RunningApp, victim: Victim, route: Route
) -> None:
    session = await running.session_of(victim.removed_too.member_id)
    victim.removed_too.bear(running.access_token(session.member_id, session.session_id))
    answer = await _ask(running, victim.removed_too, route, victim.ids)
    if route.names:
        assert answer.status in _nothing(route)


@for_each_route(OF_A_ROLE)
async def test_wrong_role_is_refused_before_any_lookup(
    running: RunningApp, victim: Victim, route: Route
) -> None:
    person = victim.suggester if route.access == "admin" else victim.home.admin
    for ids in (victim.ids, {}, dict.fromkeys(route.names, "malformed")):
        answer = await _ask(running, person, route, ids, may_know=True)
        assert (answer.status, answer.code) == (403, None if route.is_page else "forbidden")


@for_each_route([route for route in ROUTES if not route.access])
async def test_public_route_reveals_nothing(running: RunningApp, route: Route) -> None:
    neighbour = await running.person(f"neighbour-{clock.new_id()}")
    for person in (None, neighbour):
        await _ask(running, person, route, {})


TICKET_FIELDS = {"token", "refreshToken"}
TICKETS = {
    "/join/{token}": "join",
    "/join/{token}/accept": "join",
    "/join/{token}/decline": "join",
    "/sign-in-link/{token}": "link",
    "/reset/{token}": "reset",
    "/verify/{token}": "verify",
    "/unsubscribe/{token}": "unsubscribe",
    "/api/v1/invitations/accept": "join",
    "/api/v1/invitations/decline": "join",
    "/api/v1/accounts/verify": "verify",
    "/api/v1/passwords/reset": "reset",
    "/api/v1/tokens/refresh": "refresh",
    "/api/v1/tokens/link": "link",
}
"""The routes that accept a token or a link, with its kind."""

BY_TICKET = [
    route
    for route in ROUTES
    if "token" in route.names
    or not TICKET_FIELDS.isdisjoint((route.schema or {}).get("properties", {}))
]
PAGED = [route for route in PROTECTED if "nextToken" in route.asks]


def test_every_kind_of_token_is_tested() -> None:
    assert {route.path for route in BY_TICKET} == TICKETS.keys()
    assert len(PAGED) > 5


@for_each_route(PROTECTED)
async def test_ended_session_grants_nothing(
    running: RunningApp, victim: Victim, tickets: EndedCredentials, route: Route
) -> None:
    sent = [{"authorization": f"Bearer {token}"} for token in tickets.access.values()]
    sent += [{"cookie": f"homeshelf={token}"} for token in tickets.web.values()]
    chosen = {"homeshelf-family": victim.home.family_id}
    for headers in sent:
        answer = await _ask(
            running, None, route, victim.ids, SAME | headers | (chosen if route.is_page else {})
        )
        if route.is_page:
            assert answer.status == 303
            assert answer.headers["location"].startswith("/sign-in")
        else:
            assert (answer.status, answer.code) == (401, "unauthenticated")


@for_each_route(BY_TICKET)
async def test_expired_token_grants_nothing(
    running: RunningApp, tickets: EndedCredentials, route: Route
) -> None:
    kind = TICKETS[route.path]
    stranger = await running.person(f"stranger-{clock.new_id()}", verified=True)
    for token in tickets.tokens[kind].values():
        form = {"password": "long enough for one"} if route.is_page else None
        ids = {"token": token, "refreshToken": token, "password": "long enough for one"}
        for person in (None, stranger):
            answer = await _ask(running, person, route, ids, form=form)
            if route.access is not None and person is None:
                assert answer.status in (303, 401)
            elif kind == "unsubscribe" or (route.method == "GET" and kind != "join"):
                assert answer.status in (200, 404), "it tells and does nothing"
            else:
                assert answer.status == (401 if kind == "refresh" else 404)
    me = (await stranger.get("/me")).json()
    assert me["families"] == []


@for_each_route(PAGED)
async def test_page_token_of_a_removed_member_grants_nothing(
    running: RunningApp, victim: Victim, onlookers: Onlookers, route: Route
) -> None:
    removed, in_family = victim.removed, route.access != "person"
    family_id = victim.home.family_id
    caller = f"{removed.member_id} in {family_id}" if in_family else removed.member_id
    path = route.address(victim.ids)
    mark = {"PK": f"FAMILY#{family_id}", "SK": "A"}
    token = Paging(1, None, running.signer, f"{path}?[]").following(caller, mark)
    page = f"{path}?{urlencode({'nextToken': token})}"
    neighbour = await onlookers.one_for(route)
    for person in (removed, neighbour):
        if person is removed and not in_family:
            continue  # their own list
        sent = {"host": "home.test", "authorization": person.client.headers["authorization"]}
        answer = await call_app(running.app, "GET", page, sent, b"")
        refusals = (403, "no_family") if person is removed else (400, "validation")
        if route.names and person is neighbour:
            assert answer.status in (400, 404)
        else:
            assert (answer.status, answer.code) == refusals
        assert MARK not in answer.text.lower()


async def test_page_token_of_a_demoted_member_grants_nothing(
    running: RunningApp, victim: Victim
) -> None:
    home, kid = victim.home, victim.suggester
    for route in (route for route in PAGED if route.access == "admin"):
        path = route.address(victim.ids)
        caller = f"{kid.member_id} in {home.family_id}"
        mark = {"PK": f"FAMILY#{home.family_id}", "SK": "A"}
        token = Paging(1, None, running.signer, f"{path}?[]").following(caller, mark)
        answer = await kid.client.get(f"{path}?{urlencode({'nextToken': token})}")
        assert answer.status_code == 403


async def _neighbour(running: RunningApp, route: Route) -> Person:
    home = await new_home(running, "Neighbours", f"admin-{clock.new_id()}")
    if route.access == "suggester":
        return await home.with_member(f"kid-{clock.new_id()}", "suggester")
    return home.admin


def _nothing(route: Route) -> tuple[int, ...]:
    if route.is_page and route.method == "POST":
        return 404, 400, 303
    return (404,) if route.schema is None else (404, 400)


def _refers_to(body: Any, victim: Victim) -> bool:
    ids = victim.ids.values()
    return isinstance(body, dict) and any(value in ids for value in body.values())


async def _ask(
    running: RunningApp,
    person: Person | None,
    route: Route,
    ids: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
    *,
    form: Mapping[str, str] | None = None,
    may_know: bool = False,
) -> RawResponse:
    sent = {"host": "home.test"}
    if route.is_page:
        sent |= {"accept": "text/html", "sec-fetch-site": "same-origin"}
    if person is not None:
        sent["authorization"] = person.client.headers["authorization"]
    body = route.body(ids)
    content = b"" if body is None else json.dumps(body).encode()
    if form is not None:
        content = urlencode(form).encode()
        sent["content-type"] = "application/x-www-form-urlencoded"
    elif content:
        sent["content-type"] = "application/json"
    answer = await call_app(
        running.app,
        route.method,
        f"{route.address(ids)}?{route.question(ids)}",
        sent | {**(headers or {})},
        content,
    )
    assert answer.status < 500
    if not may_know:
        assert MARK not in answer.text.lower()
        assert MARK not in str(answer.headers).lower()
    return answer
