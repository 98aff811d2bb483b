"""Test that new texts contain no control characters, and old records with them still open."""

from typing import Any

import pytest

from homeshelf.controls import has_control_characters
from homeshelf.inventory.model import InventoryItem
from homeshelf.web.body import NOT_SHOWN
from tests.api_client import add_item, get_item
from tests.home import Home
from tests.pages import see, send
from tests.running import PASSWORD, Visitor
from tests.shares.clients import new_list
from tests.table.faulty_engines import warp
from tests.taps.tags import make_tag

CONTROLS = ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u202a", "\u202e", "\u2066", "\u2069"]
LINES = "one\ttwo\nthree\r\nfour\x1b[2J\u2067خمسة\u2069"
SIGN_UP = {"email": "eve@home.local", "password": PASSWORD}
BOOK, ITEM, LIST = {"title": "Emma"}, {"name": "Rice"}, {"name": "Camping"}
WISH = {"type": "create_item", "proposedItemName": "Jam"}

ONE_LINE: dict[str, tuple[str, dict[str, Any], str]] = {
    "account": ("/accounts", SIGN_UP, "name"),
    "address": ("/accounts", SIGN_UP | {"name": "Eve"}, "email"),
    "author": ("/books", BOOK, "author"),
    "bought at": ("/books", BOOK, "boughtAt"),
    "child": ("/members", {}, "name"),
    "entry": ("/shopping-list", {}, "name"),
    "family": ("/families", {}, "name"),
    "invitation": ("/invitations", {"role": "admin"}, "email"),
    "item": ("/items", {}, "name"),
    "location": ("/locations", {}, "name"),
    "shared list": ("/shareables", {"entity": "checklist"}, "name"),
    "store": ("/stores", {}, "name"),
    "store's address": ("/stores", {"name": "Corner"}, "address"),
    "store of a book": ("/books", BOOK, "store"),
    "title": ("/books", {}, "title"),
    "unit": ("/items", ITEM, "unit"),
}
SEVERAL_LINES: dict[str, tuple[str, dict[str, Any], str]] = {
    "description of a book": ("/books", BOOK, "description"),
    "description of a place": ("/locations", {"name": "Attic"}, "description"),
    "notes of an entry": ("/shopping-list", {"name": "Milk"}, "notes"),
    "notes of an item": ("/items", ITEM, "notes"),
    "note of a shared list": ("/shareables", LIST | {"entity": "checklist"}, "note"),
}


async def require_refused(
    who: Visitor, method: str, path: str, body: dict[str, Any], field: str, character: str
) -> None:
    text = f"a{character}b@home.local"
    answer = await who.ask(method, path, body | {field: text})
    assert answer.status_code == 400, (field, text, answer.text)
    assert [each["field"] for each in answer.json()["errors"]] == [field]


@pytest.mark.parametrize("kind", ONE_LINE)
async def test_control_characters_in_one_line_are_refused(home: Home, kind: str) -> None:
    path, body, field = ONE_LINE[kind]
    for character in (*CONTROLS, "\t", "\n"):
        await require_refused(home.admin, "POST", path, body, field, character)


@pytest.mark.parametrize("kind", SEVERAL_LINES)
async def test_control_characters_in_several_lines_are_stored_as_sent(
    home: Home, kind: str
) -> None:
    path, body, field = SEVERAL_LINES[kind]
    answer = await home.admin.post(path, body | {field: LINES})
    assert answer.status_code == 201, answer.text
    assert answer.json()[field] == LINES


async def test_control_characters_are_refused_by_a_sentence_of_their_own(
    home: Home, kid: Visitor
) -> None:
    tag = await make_tag(home.admin, await add_item(home.admin))
    shared = await new_list(home.running.visitor(), "Tent")
    item = f"/shareables/{shared['shortId']}/items/{shared['items'][0]['checklistItemId']}"
    for who, method, path, body, field in (
        (home.admin, "PATCH", f"/nfc-urls/{tag['urlId']}", {}, "label"),
        (home.running.visitor(), "PATCH", item, {"checked": True}, "checkedBy"),
        (kid, "POST", "/suggestions", {"type": "create_item"}, "proposedItemName"),
    ):
        answer = await who.ask(method, path, body | {field: "a\x1b[2J"})
        assert answer.status_code == 400, answer.text
        assert answer.json()["errors"] == [{"field": field, "message": str(NOT_SHOWN)}]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/list/add", {"text": "2 milk\x1b[2J"}),
        ("/stock/take", {"text": "milk\x1b[2J"}),
        ("/places/locations", {"name": "Attic\u202e"}),
    ],
)
async def test_forms_refuse_control_characters(
    home: Home, path: str, fields: dict[str, str]
) -> None:
    answer = await send(home.admin, path, **fields)
    assert answer.status_code == 400
    assert NOT_SHOWN in answer.text


async def test_pasted_lines_of_a_shared_list_lose_control_characters(home: Home) -> None:
    visitor = home.running.visitor()
    made = await send(
        visitor, "/s/new", name="Camping", items="\u2068Tent\u2069\nRope\x1b", expiresInDays=30
    )
    page = await see(visitor, "/".join(made.headers["location"].split("/")[:3]))
    assert "Rope" in page
    assert not has_control_characters(page.replace("\n", ""))


async def test_stored_record_with_control_characters_reads_and_takes_other_fields(
    home: Home,
) -> None:
    item = await add_item(home.admin)
    key = InventoryItem.key(family_id=home.family_id, item_id=item["itemId"])
    await warp(home.running.db, key, name="Milk\x1b[2J\u202e", unit="l\t")
    assert (await get_item(home.admin, item))["name"] == "Milk\x1b[2J\u202e"
    path = f"/items/{item['itemId']}"
    changed = await home.admin.patch(path, {"notes": "fresh", "version": item["version"]})
    assert changed.status_code == 200, changed.text
    assert changed.json()["name"] == "Milk\x1b[2J\u202e"
    page = await see(home.admin, f"/stock/{item['itemId']}/edit")
    assert 'value="Milk[2J"' in page, "the form can be sent as it stands"
