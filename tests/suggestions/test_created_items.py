"""Test that the item of an approval is stored beside the suggestion."""

import json
from typing import Any

import pytest

from homeshelf.suggestions import store
from homeshelf.suggestions.model import CreatedItem, Suggestion
from homeshelf.table import INVENTORY, Key
from homeshelf.table.operations import Delete, Put
from tests.api_client import Shown
from tests.database_hooks import with_hook
from tests.home import Home
from tests.moving.households import export_family, import_family, other_house, sign_in_member
from tests.pages import led_to, look, send
from tests.running import Person, RunningApp
from tests.suggestions.wish_requests import (
    approve,
    ask_for,
    entries_of,
    get_created,
    items_of,
    propose,
)

__all__ = ["other_house"]


@pytest.fixture
async def kite_wish(kid: Person) -> Shown:
    return await propose(kid, "Kite")


def link_of(home: Home, wish: Shown) -> Key[CreatedItem]:
    return CreatedItem.key(family_id=home.family_id, suggestion_id=wish["suggestionId"])


async def stored_item(home: Home, wish: Shown) -> dict[str, Any]:
    key = store.key_of(home.family_id, wish["suggestionId"])
    return dict(await home.running.db.engine.get(key) or {})


async def store_as_earlier_version(home: Home, wish: Shown) -> str:
    """Move the id of the created item into the suggestion, and return it."""
    link = await home.running.db.get(link_of(home, wish))
    assert link is not None
    old = await stored_item(home, wish) | {"madeItemId": link.item_id}
    await home.running.db.batch([Put(INVENTORY, old), Delete(link_of(home, wish))])
    return link.item_id


@pytest.mark.parametrize("on_page", [True, False])
async def test_approval_stores_created_item_beside_suggestion(
    home: Home, kite_wish: Shown, on_page: bool
) -> None:
    before = await stored_item(home, kite_wish)
    if on_page:
        await send(
            home.admin, f"/wishes/{kite_wish['suggestionId']}/decide", answer="yes", version=1
        )
    else:
        await approve(home.admin, kite_wish)
    (item,) = await items_of(home)
    link = await home.running.db.get(link_of(home, kite_wish))
    assert link is not None
    assert link.item_id == item.item_id
    assert (await stored_item(home, kite_wish)).keys() == before.keys()


async def test_approval_writes_everything_in_one_transaction(home: Home, kite_wish: Shown) -> None:
    writes: list[str] = []

    async def note(moment: str, operation: str) -> None:
        if moment == "before" and operation in ("write", "transact", "batch"):
            writes.append(operation)

    key = store.key_of(home.family_id, kite_wish["suggestionId"])
    await store.approve(with_hook(home.running.db, note), key, 1, home.admin.member_id)
    assert writes == ["transact"]
    assert await home.running.db.get(link_of(home, kite_wish)) is not None


async def test_refused_approval_stores_no_created_item(home: Home, kite_wish: Shown) -> None:
    assert (await approve(home.admin, kite_wish | {"version": 2})).status_code == 409
    assert await home.running.db.get(link_of(home, kite_wish)) is None


async def test_approval_for_shopping_list_stores_no_created_item(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    await get_created(home.admin, wish)
    assert await home.running.db.get(link_of(home, wish)) is None


async def test_suggestion_of_earlier_version_is_listed_and_unlisted(
    home: Home, kite_wish: Shown
) -> None:
    await get_created(home.admin, kite_wish)
    await store_as_earlier_version(home, kite_wish)
    path = f"/wishes/{kite_wish['suggestionId']}/list"
    assert led_to(await send(home.admin, path, wanted="true")).startswith("/wishes?said=listed")
    assert [entry.name for entry in await entries_of(home)] == ["Kite"]
    page = await look(home.admin, f"/wishes?said=listed&wish={kite_wish['suggestionId']}")
    await page.send(path, wanted="false")
    assert await entries_of(home) == []


async def test_rewriting_suggestion_of_earlier_version_drops_item_id(
    home: Home, kite_wish: Shown
) -> None:
    await get_created(home.admin, kite_wish)
    await store_as_earlier_version(home, kite_wish)
    old = await stored_item(home, kite_wish)
    await home.running.db.put(Suggestion.load(old))
    assert (await stored_item(home, kite_wish)).keys() == old.keys() - {"madeItemId"}


@pytest.mark.parametrize("is_old", [True, False])
async def test_import_keeps_created_item(
    home: Home, kite_wish: Shown, other_house: RunningApp, is_old: bool
) -> None:
    """Files of earlier versions name the item in the suggestion."""
    created = await get_created(home.admin, kite_wish)
    if is_old:
        await store_as_earlier_version(home, kite_wish)
    file = json.loads(await export_family(home))
    assert len(file["records"]["CreatedItem"]) == (0 if is_old else 1)
    await import_family(home, other_house, json.dumps(file).encode())
    link = await other_house.db.get(link_of(home, kite_wish))
    assert link is not None
    assert link.item_id == created["itemId"]
    admin = await sign_in_member(other_house, home.admin.member_id)
    answer = await send(admin, f"/wishes/{kite_wish['suggestionId']}/list", wanted="true")
    assert led_to(answer).startswith("/wishes?said=listed")
