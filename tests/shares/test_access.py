"""Check the access of every kind of caller against a table, for every operation and passcode."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.shares.access import Grant
from homeshelf.shares.checklist.model import NewItem
from homeshelf.shares.checklist.store import items_of
from homeshelf.shares.dependencies import token_of
from homeshelf.shares.list_creation import create
from homeshelf.shares.list_schema import render_list
from homeshelf.shares.model import ListContent, Passcodes, Role, Shareable
from homeshelf.shares.pool import new_short_id
from homeshelf.table import Set
from tests.databases import ENGINES, tables
from tests.running import Person, RunningApp, Visitor, problem_of, running_app
from tests.shares.clients import (
    ADMIN,
    PASSCODES,
    VIEW,
    Shown,
    bearer_headers,
    hash_of,
    request_stream_status,
)

OTHER = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAA$AAAAAAAA"
OK, LOCKED, TOO_LITTLE, EXPIRED = 2, 401, 403, 410

CALLERS = (
    "nobody",
    "view",
    "admin",
    "old view",
    "old admin",
    "view of another list",
    "admin of another list",
    "household",
    "maker",
    "nonsense",
)


@dataclass(frozen=True)
class Situation:
    made: Shown
    tokens: Mapping[str, str | None]

    @property
    def path(self) -> str:
        return f"/shareables/{self.made['shortId']}"

    @property
    def item(self) -> str:
        return f"{self.path}/items/{self.made['items'][0]['checklistItemId']}"


Ask = Callable[[RunningApp, Visitor, Situation, dict[str, Any]], Awaitable[int]]


async def _status_of_view(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.get(at.path, **sent)).status_code


async def _listen(running: RunningApp, _: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return await request_stream_status(running, f"/api/v1{at.path}/events", sent.get("headers", {}))


async def _tick(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.patch(at.item, {"checked": True, "checkedBy": "me"}, **sent)).status_code


async def _edit(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.patch(at.item, {"name": "Lamp", "checked": True}, **sent)).status_code


async def _annotate(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.patch(at.item, {"note": "red"}, **sent)).status_code


async def _add(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.post(f"{at.path}/items", {"name": "Map"}, **sent)).status_code


async def _reorder(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    ids = [item["checklistItemId"] for item in at.made["items"]][::-1]
    return (await who.put(f"{at.path}/order", {"checklistItemIds": ids}, **sent)).status_code


async def _change(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.patch(at.path, {"name": "Hiking", "version": 1}, **sent)).status_code


async def _clone(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.post(f"{at.path}/clone", {}, **sent)).status_code


async def _remove(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.delete(at.item, **sent)).status_code


async def _delete(_: RunningApp, who: Visitor, at: Situation, sent: dict[str, Any]) -> int:
    return (await who.delete(at.path, **sent)).status_code


VIEWING: Mapping[str, Ask] = {"see": _status_of_view, "listen": _listen, "tick": _tick}
MANAGING: Mapping[str, Ask] = {
    "edit": _edit,
    "annotate": _annotate,
    "add": _add,
    "reorder": _reorder,
    "change": _change,
    "clone": _clone,
    "remove an item": _remove,
    "delete": _delete,
}
OPERATIONS = {**VIEWING, **MANAGING}
WHEN_EXPIRED = ("see", "clone", "delete")

MAY_VIEW: Mapping[str, set[str]] = {
    "open": set(CALLERS),
    "view": {"view"},
    "admin": set(CALLERS),
    "both": {"view", "admin"},
}
MAY_MANAGE: Mapping[str, set[str]] = {
    "open": set(CALLERS),
    "view": {"view"},
    "admin": {"admin"},
    "both": {"admin"},
}


def expected_status(passcodes: str, caller: str, operation: str) -> int:
    managing = operation in MANAGING
    if caller in (MAY_MANAGE if managing else MAY_VIEW)[passcodes]:
        return OK
    return TOO_LITTLE if caller in ("view", "admin") else LOCKED


def expected_status_when_expired(passcodes: str, caller: str, operation: str) -> int:
    holder = "admin" if passcodes in ("admin", "both") else "maker"
    return OK if operation in WHEN_EXPIRED and caller == holder else EXPIRED


@pytest.fixture(scope="module", params=ENGINES)
async def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RunningApp]:
    folder = tmp_path_factory.mktemp("lists")
    async with tables(request, folder) as open_another, running_app(open_another()) as running:
        yield running


@pytest.fixture(scope="module")
async def maker(running: RunningApp) -> Person:
    return await running.person("maker")


@pytest.fixture(scope="module")
async def stranger(running: RunningApp) -> Person:
    return await running.person("stranger")


async def new_situation(
    running: RunningApp, maker: Person, stranger: Person, passcodes: str, *, expired: bool = False
) -> Situation:
    given = PASSCODES[passcodes]
    hashes = {name: hash_of(text) for name, text in given.items()}
    stored = Passcodes(hashes.get("viewPasscode"), hashes.get("adminPasscode"))
    content = ListContent("Camping", items=(NewItem("Tent"), NewItem("Rope")))
    made = await create(running.db, content, stored, maker.member_id)
    other = made.shared.changed(
        short_id=new_short_id(), view_passcode=hash_of(VIEW), admin_passcode=hash_of(ADMIN)
    )
    before = made.shared.changed(view_passcode=OTHER, admin_passcode=OTHER)
    tokens: dict[str, str | None] = {"nobody": None, "nonsense": "no.token.at-all"}
    roles: tuple[Role, ...] = ("view", "admin")
    for role in roles:
        if made.shared.passcode(role) is not None:
            tokens[role] = token_of_role(running, made.shared, role)
        tokens[f"old {role}"] = token_of_role(running, before, role)
        tokens[f"{role} of another list"] = token_of_role(running, other, role)
    for name, person in (("household", stranger), ("maker", maker)):
        tokens[name] = person.client.headers["authorization"].removeprefix("Bearer ")
    if expired:
        over = clock.timestamp(clock.now() - timedelta(milliseconds=1))
        await running.db.write(Shareable.update(made.shared.own_key(), Set("expiresAt", over)))
    return Situation(render_list(made, "admin"), tokens)


def token_of_role(running: RunningApp, shared: Shareable, role: Role) -> str | None:
    return token_of(running.signer, shared.short_id, Grant(role, shared.passcode_version(role)))


async def collect_statuses(
    running: RunningApp, ask: Ask, make: Callable[[], Awaitable[Situation]]
) -> dict[str, int]:
    at, got = await make(), {}
    before = await snapshot(running, at)
    for caller in at.tokens:
        status = await ask(running, running.visitor(), at, bearer_headers(at.tokens[caller]))
        got[caller] = OK if status // 100 == 2 else status
        if got[caller] == OK:
            at = await make()
            before = await snapshot(running, at)
        else:
            assert await snapshot(running, at) == before, "who was refused has changed something"
    return got


async def snapshot(running: RunningApp, at: Situation) -> list[Any]:
    short_id = at.made["shortId"]
    items = await running.db.all(items_of(short_id).up_to_date())
    return [await running.db.get(Shareable.key(short_id=short_id)), *items]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("passcodes", PASSCODES)
async def test_access_of_every_caller_equals_the_table(
    running: RunningApp, maker: Person, stranger: Person, passcodes: str, operation: str
) -> None:
    async def make_situation() -> Situation:
        return await new_situation(running, maker, stranger, passcodes)

    got = await collect_statuses(running, OPERATIONS[operation], make_situation)
    assert got == {caller: expected_status(passcodes, caller, operation) for caller in got}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("passcodes", PASSCODES)
async def test_expired_list_is_only_for_the_admin_or_maker(
    running: RunningApp, maker: Person, stranger: Person, passcodes: str, operation: str
) -> None:
    async def make_situation() -> Situation:
        return await new_situation(running, maker, stranger, passcodes, expired=True)

    got = await collect_statuses(running, OPERATIONS[operation], make_situation)
    assert got == {
        caller: expected_status_when_expired(passcodes, caller, operation) for caller in got
    }


@pytest.mark.parametrize(
    ("passcodes", "caller", "access"),
    [
        ("open", "nobody", "admin"),
        ("view", "view", "admin"),
        ("admin", "nobody", "view"),
        ("admin", "admin", "admin"),
        ("both", "view", "view"),
        ("both", "admin", "admin"),
    ],
)
async def test_response_names_the_callers_access(
    running: RunningApp, maker: Person, stranger: Person, passcodes: str, caller: str, access: str
) -> None:
    at = await new_situation(running, maker, stranger, passcodes)
    found = await running.visitor().get(at.path, **bearer_headers(at.tokens[caller]))
    assert found.json()["access"] == access


@pytest.mark.parametrize("passcodes", PASSCODES)
async def test_refusal_reveals_only_the_kind_of_list(
    running: RunningApp, maker: Person, stranger: Person, passcodes: str
) -> None:
    for expired in (False, True):
        at = await new_situation(running, maker, stranger, passcodes, expired=expired)
        answer = await running.visitor().get(at.path)
        if answer.status_code == 200:
            assert passcodes in ("open", "admin")
            continue
        assert problem_of(answer) == ((410, "expired") if expired else (401, "unauthenticated"))
        problem = answer.json()
        assert problem.get("entity") == (None if expired else "checklist")
        assert problem.keys() <= {"type", "title", "status", "detail", "code", "entity"}
        assert "Camping" not in answer.text
        assert at.made["shortId"] not in answer.text


async def test_no_response_contains_a_passcode_hash(
    running: RunningApp, maker: Person, stranger: Person
) -> None:
    at = await new_situation(running, maker, stranger, "both")
    sent = bearer_headers(at.tokens["admin"])
    nobody = running.visitor()
    answers = [
        await nobody.get(at.path, **sent),
        await nobody.patch(at.path, {"version": 1, "adminPasscode": "another"}, **sent),
        await nobody.post("/shareables", {"name": "x", **PASSCODES["both"]}),
    ]
    answers.append(
        await nobody.patch(at.path, {"version": 7}, **bearer_headers(answers[1].json()["token"]))
    )
    assert [answer.status_code for answer in answers] == [200, 200, 201, 409]
    for answer in answers:
        assert "argon2" not in answer.text
        assert "asscode" not in answer.text
