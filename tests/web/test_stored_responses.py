"""Every request with an idempotency key stores its response in its own transaction.

A handler that passes `db` instead of `unit` to a store function stores none, and runs a repeated
request again.
"""

import ast
from collections.abc import Iterator
from typing import Any

from homeshelf import clock
from homeshelf.app import create_app
from homeshelf.config import read_settings
from homeshelf.table import HELPER, Database
from tests.home import Home, new_home, token_in
from tests.rooms import PROGRAM
from tests.routes import every_route
from tests.running import PASSWORD, SETTINGS, Person, RunningApp, Visitor, running_app

API = "/api/v1"
WITH_MAIL = read_settings(
    {
        "HOMESHELF_SMTP_URL": "smtp://127.0.0.1:9",
        "HOMESHELF_MAIL_FROM": "home@home.test",
        "HOMESHELF_PUBLIC_URL": "http://home.test",
    }
)
WITHOUT_CALLER = {
    "POST /accounts",
    "POST /accounts/verify",
    "POST /passwords/forgotten",
    "POST /passwords/reset",
    "POST /tokens",
    "POST /tokens/link",
    "POST /tokens/refresh",
    "POST /shareables/{shortId}/unlock",
}
"""Operations without a caller, to whom a key could be bound."""


def keyed_requests() -> set[str]:
    routes = {
        f"{route.method} {route.path.removeprefix(API)}"
        for route in every_route(create_app(SETTINGS))
        if route.method in ("POST", "PATCH") and not route.is_page
    }
    assert routes > WITHOUT_CALLER
    return routes - WITHOUT_CALLER


class Recorder:
    """Sends each request twice, and checks the stored response."""

    def __init__(self, running: RunningApp) -> None:
        self.db = running.db
        self.sent: set[str] = set()

    async def send(
        self,
        caller: Visitor,
        request: str,
        /,
        *body: Any,
        ids: tuple[str, ...] = (),
        **options: Any,
    ) -> Any:
        method, template = request.split()
        path = template
        for value in ids:
            start, end = path.index("{"), path.index("}")
            path = path[:start] + value + path[end + 1 :]
        before, key = await self._stored(), clock.new_id()
        first = await caller.ask(method, path, *body, key=key, **options)
        assert first.is_success, (request, first.text)
        stored = await self._stored()
        assert len(stored) == len(before) + 1, f"{request} stores no response"
        again = await caller.ask(method, path, *body, key=key, **options)
        assert (again.status_code, await self._stored()) == (first.status_code, stored), request
        self.sent.add(request)
        return first.json() if first.content else None

    async def _stored(self) -> list[Any]:
        items = (await self.db.engine.scan(HELPER, 10_000)).items
        return [item for item in items if str(item["PK"]).startswith("ANSWERS#")]


async def test_every_request_with_a_key_stores_its_response(database: Database) -> None:
    mail = {name: getattr(WITH_MAIL, name) for name in ("smtp_url", "mail_from", "public_url")}
    async with running_app(database, **mail) as running:
        home, recorder = await new_home(running, "Home", "ada"), Recorder(running)
        await _stock_and_list(recorder, home)
        await _wishes_and_tags(recorder, home)
        await _books(recorder, home.admin)
        await _shared_lists(recorder, running.visitor())
        await _family(recorder, home)
        await _account(recorder, await running.person("zoe"))
    assert recorder.sent == keyed_requests()


async def _stock_and_list(recorder: Recorder, home: Home) -> None:
    ada, send = home.admin, recorder.send
    for kind, id_ in (("locations", "locationId"), ("stores", "storeId")):
        place = await send(ada, f"POST /{kind}", {"name": "Here"})
        renamed = {"name": "There", "version": 1}
        await send(ada, f"PATCH /{kind}/{{{id_}}}", renamed, ids=(place[id_],))
    item = await send(ada, "POST /items", {"name": "Milk", "quantity": 1, "threshold": 3})
    ids = (item["itemId"],)
    notice = (await ada.get("/notifications")).json()["items"][0]
    seen = (notice["notificationId"],)
    await send(ada, "POST /notifications/{notificationId}/acknowledge", ids=seen)
    await send(ada, "POST /items/batch", {"items": [{"name": "Rice"}]})
    await send(ada, "PATCH /items/{itemId}", {"name": "Oat milk", "version": 1}, ids=ids)
    await send(ada, "POST /items/{itemId}/adjust", {"delta": 1}, ids=ids)
    await send(ada, "POST /items/{itemId}/archive", ids=ids)
    await send(ada, "POST /items/{itemId}/unarchive", ids=ids)
    entry = await send(ada, "POST /shopping-list", {"itemId": item["itemId"]})
    ids = (entry["shoppingItemId"],)
    path = "/shopping-list/{shoppingItemId}"
    await send(ada, f"PATCH {path}", {"quantity": 2, "version": 1}, ids=ids)
    await send(ada, f"PATCH {path}/status", {"status": "purchased", "version": 2}, ids=ids)
    await send(ada, f"POST {path}/put-away", {"quantity": 2, "version": 3}, ids=ids)


async def _wishes_and_tags(recorder: Recorder, home: Home) -> None:
    ada, send = home.admin, recorder.send
    kid = await home.with_member("kid", "suggester")
    for name, verdict in (("Cake", "approve"), ("Ice", "reject")):
        wanted: dict[str, Any] = {
            "proposedItemName": name,
            "proposedQuantity": 1,
            "proposedThreshold": 1,
        }
        wish = await send(kid, "POST /suggestions", wanted | {"type": "create_item"})
        ids = (wish["suggestionId"],)
        await send(ada, f"POST /suggestions/{{suggestionId}}/{verdict}", {"version": 1}, ids=ids)
    item = (await ada.post("/items", {"name": "Tea", "quantity": 5})).json()
    tag = await send(ada, "POST /items/{itemId}/nfc-urls", ids=(item["itemId"],))
    ids = (tag["urlId"],)
    await send(ada, "PATCH /nfc-urls/{urlId}", {"label": "Door"}, ids=ids)
    await send(home.running.visitor(), "POST /taps/{urlId}", {"delta": -1}, ids=ids)
    await send(ada, "POST /nfc-urls/{urlId}/rotate", ids=ids)


async def _books(recorder: Recorder, ada: Person) -> None:
    send = recorder.send
    book = await send(ada, "POST /books", {"title": "Emma", "totalPages": 10, "status": "READING"})
    ids = (book["id"],)
    await send(ada, "PATCH /books/settings", {"yearlyGoal": 12})
    await send(ada, "PATCH /books/{bookId}", {"author": "Jane Austen"}, ids=ids)
    await send(ada, "POST /books/{bookId}/page", {"page": 3}, ids=ids)
    note = await send(ada, "POST /books/{bookId}/notes", {"content": "Good"}, ids=ids)
    both = (*ids, note["id"])
    await send(ada, "PATCH /books/{bookId}/notes/{noteId}", {"content": "Better"}, ids=both)
    table = {"Content-Type": "text/csv"}
    await send(ada, "POST /books/import", content="title\nSketch\n", headers=table)


async def _shared_lists(recorder: Recorder, guest: Visitor) -> None:
    send = recorder.send
    made = await send(guest, "POST /shareables", {"name": "Trip"})
    ids = (made["shortId"],)
    await send(guest, "PATCH /shareables/{shortId}", {"name": "Hike", "version": 1}, ids=ids)
    await send(guest, "POST /shareables/{shortId}/clone", {}, ids=ids)
    item = await send(guest, "POST /shareables/{shortId}/items", {"name": "A sock"}, ids=ids)
    both = (*ids, item["checklistItemId"])
    ticked = {"checked": True}
    await send(guest, "PATCH /shareables/{shortId}/items/{checklistItemId}", ticked, ids=both)


async def _family(recorder: Recorder, home: Home) -> None:
    ada, send = home.admin, recorder.send
    await send(ada, "PATCH /family", {"name": "Us", "version": 1})
    for answered in ("accept", "decline"):
        guest = await home.running.person(answered, verified=True)
        asked = {"email": guest.email, "role": "suggester"}
        invited = await send(ada, "POST /invitations", asked)
        if answered == "accept":
            ids = (invited["invitationId"],)
            invited = await send(ada, "POST /invitations/{invitationId}/resend", ids=ids)
        await send(guest, f"POST /invitations/{answered}", {"token": token_in(invited)})
    child = await send(ada, "POST /members", {"name": "Bo"})
    ids = (child["memberId"],)
    await send(ada, "PATCH /members/{memberId}", {"picture": "🦊", "version": 1}, ids=ids)
    await send(ada, "POST /members/{memberId}/sign-in-link", ids=ids)
    await send(ada, "POST /members/{memberId}/email", {"email": "bo@home.local"}, ids=ids)


async def _account(recorder: Recorder, zoe: Person) -> None:
    send = recorder.send
    await send(zoe, "POST /families", {"name": "Den"})
    await send(zoe, "PATCH /me", {"name": "Zoë"})
    await send(zoe, "PATCH /me/preferences", {"theme": "dark"})
    await send(zoe, "POST /me/verification")
    moved = {"email": "zoe@elsewhere.local", "currentPassword": PASSWORD}
    await send(zoe, "POST /me/email", moved)


def test_work_of_a_keyed_request_uses_only_its_unit() -> None:
    """A write through another database would not carry the response."""
    found = [
        (path.parent.name, work)
        for path in PROGRAM.rglob("*.py")
        for work in works_in(ast.parse(path.read_text()))
    ]
    assert len(found) > 30
    assert not [
        f"{room}: {ast.unparse(work)}"
        for room, work in found
        for node in ast.walk(work)
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).split(".")[-1] == "db"
    ]


def works_in(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the functions that are passed to `respond` and `outcome`."""
    named = {each.name: each for each in ast.walk(tree) if isinstance(each, ast.AsyncFunctionDef)}
    for call in ast.walk(tree):
        match call:
            case ast.Call(ast.Attribute(attr="respond" | "outcome"), [_, ast.Lambda() as work, *_]):
                yield work
            case ast.Call(ast.Attribute(attr="respond" | "outcome"), [_, ast.Name(id=name), *_]):
                yield named[name]
