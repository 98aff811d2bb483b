"""Test the pages of purchased entries without scripts."""

import re

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    get_entry,
    get_item,
    get_shopping_list,
    mark_entry,
    nothing_changes,
    put_away,
    set_archived,
)
from tests.home import NOBODYS, Home
from tests.pages import led_to, look, read, see, send
from tests.running import Person


def page_of(entry: Shown, more: str = "") -> str:
    return f"/list/{entry['shoppingItemId']}{more}"


async def add_stock_item(
    home: Home, name: str, store: Shown | None = None, quantity: int = 1
) -> Shown:
    kept = {"preferredStoreId": store["storeId"]} if store else {}
    return await add_item(home.admin, name=name, quantity=quantity, **kept)


async def buy_item(home: Home, item: Shown, **body: object) -> Shown:
    return await add_purchased_entry(home.admin, itemId=item["itemId"], **body)


async def read_page(home: Home, path: str) -> str:
    """Return the visible text of a page and its labels for screen readers."""
    page = await look(home.admin, path)
    return " ".join([page.words, *page.spoken])


async def item_count(home: Home, item: Shown) -> int:
    return int((await get_item(home.admin, item))["quantity"])


async def test_row_of_free_text_links_to_its_choices(home: Home, market: Shown) -> None:
    store_id = market["storeId"]
    entry = await add_purchased_entry(home.admin, name="Glue", storeId=store_id)
    for at in ("", f"?at={store_id}"):
        page = await look(home.admin, f"/list{at}")
        assert f"{page_of(entry)}{at}#away" in page.links
        assert not page.has_form(page_of(entry, f"/put-away{at}"))


async def test_put_away_field_has_limits_of_a_count(home: Home) -> None:
    page = await look(home.admin, "/list")
    (field,) = re.findall(r'<input [^>]*id="away"[^>]*>', page.text)
    assert ('min="1"' in field, 'max="9999999999"' in field) == (True, True)


async def test_put_away_form_takes_a_quantity_and_can_be_undone(home: Home, milk: Shown) -> None:
    entry = await buy_item(home, milk, quantity=3)
    shown = await see(home.admin, page_of(entry))
    field = shown.partition('id="away-quantity"')[2].partition(">")[0]
    assert 'value="3"' in field
    away = await send(home.admin, page_of(entry, "/put-away"), version=entry["version"], quantity=2)
    assert (away.status_code, away.headers["location"]) == (303, "/list")
    assert await item_count(home, milk) == 3
    entry = await get_entry(home.admin, entry)
    assert entry["putAwayAt"] is not None
    shown = await see(home.admin, page_of(entry))
    assert f'href="/stock/{milk["itemId"]}"' in shown
    assert "Undo" in shown
    assert "away-quantity" not in shown
    await send(home.admin, page_of(entry, "/put-away"), version=entry["version"], undo=1)
    assert await item_count(home, milk) == 1


async def test_put_away_form_leads_back_to_list_of_store(
    home: Home, milk: Shown, market: Shown
) -> None:
    entry = await buy_item(home, milk)
    here, there = f"?at={market['storeId']}", f"/list?at={market['storeId']}"
    away = page_of(entry, f"/put-away{here}")
    page, alone = await look(home.admin, there), await look(home.admin, page_of(entry, here))
    assert led_to(await page.send(away)) == there
    for stale in (page, alone):
        assert led_to(await stale.send(away)) == f"{there}&said=meanwhile"
    back = await look(home.admin, page_of(entry, here))
    assert back.in_order("Put away just now", "Undo")
    assert led_to(await back.send(away)) == there
    await set_archived(home.admin, milk, "archive")
    version = (await get_entry(home.admin, entry))["version"]
    refused = await send(home.admin, away, version=version)
    assert led_to(refused) == f"{there}&said=not-there"


async def test_entry_can_be_edited_after_refused_put_away_quantity(home: Home, milk: Shown) -> None:
    entry = await buy_item(home, milk)
    page = await look(home.admin, page_of(entry))
    refused = read(home.admin, await page.send(page_of(entry, "/put-away"), quantity=0), 400)
    assert led_to(await refused.send(page_of(entry), notes="Mild")) == "/list"
    assert (await get_entry(home.admin, entry))["notes"] == "Mild"


@pytest.mark.parametrize("quantity", ["0", "-1", "two", "10000000000"])
async def test_invalid_quantity_puts_nothing_away(home: Home, milk: Shown, quantity: str) -> None:
    entry = await buy_item(home, milk)
    async with nothing_changes(home):
        answer = await send(
            home.admin, page_of(entry, "/put-away"), version=entry["version"], quantity=quantity
        )
    assert answer.status_code == 400
    assert 'id="away-quantity-wrong"' in answer.text
    assert f'value="{quantity}"' in answer.text


async def test_put_away_is_offered_for_purchased_active_items_only(home: Home, milk: Shown) -> None:
    pending = await add_entry(home.admin, itemId=milk["itemId"])
    free = await add_entry(home.admin, name="Balloons")
    for entry in (pending, free):
        assert "away-quantity" not in await see(home.admin, page_of(entry))
    aside = await mark_entry(home.admin, pending, "purchased")
    await set_archived(home.admin, milk, "archive")
    shown = await see(home.admin, page_of(aside))
    assert "away-quantity" not in shown
    assert "This item is archived." in shown
    async with nothing_changes(home):
        answer = await send(
            home.admin, page_of(aside, "/put-away"), version=aside["version"], quantity=1
        )
    assert answer.headers["location"] == "/list?said=not-there"
    assert "it wasn’t put away" in await see(home.admin, "/list?said=not-there")


async def test_row_of_archived_item_links_to_the_item(home: Home, milk: Shown) -> None:
    entry = await buy_item(home, milk)
    page = await look(home.admin, "/list")
    assert page.has_form(page_of(entry, "/put-away"))
    await set_archived(home.admin, milk, "archive")
    page = await look(home.admin, "/list")
    assert not page.has_form(page_of(entry, "/put-away"))
    look_at_it = 'aria-label="Milk is archived: review"'
    assert f'href="/stock/{milk["itemId"]}" {look_at_it}' in await see(home.admin, "/list")


async def test_put_away_entry_can_be_edited_and_deleted(home: Home, milk: Shown) -> None:
    entry = await buy_item(home, milk)
    way = f'href="{page_of(entry)}"'
    assert way in await see(home.admin, "/list")
    entry, _item = await put_away(home.admin, entry)
    assert way in await see(home.admin, "/list")
    saved = await send(
        home.admin, page_of(entry), version=entry["version"], name="Milk", notes="The last one"
    )
    assert saved.status_code == 303
    changed = await get_entry(home.admin, entry)
    assert (changed["notes"], changed["status"]) == ("The last one", "purchased")
    assert (changed["ttl"], changed["putAwayAt"]) == (entry["ttl"], entry["putAwayAt"])
    assert (await send(home.admin, page_of(entry, "/delete"))).status_code == 303
    assert await get_shopping_list(home.admin) == []
    assert await item_count(home, milk) == 2


async def test_child_cannot_put_entries_away(home: Home, kid: Person, milk: Shown) -> None:
    entry = await buy_item(home, milk)
    shown = await see(kid, "/list")
    for word in ("Put away", page_of(entry)):
        assert word not in shown
    async with nothing_changes(home):
        assert (await send(kid, "/list/put-away-all")).status_code == 403
        away = await send(kid, page_of(entry, "/put-away"), version=entry["version"], quantity=2)
        assert away.status_code == 403


async def test_free_text_becomes_a_new_item(home: Home, market: Shown) -> None:
    free = await add_purchased_entry(
        home.admin, name="Balloons", quantity=3, storeId=market["storeId"]
    )
    page = await look(home.admin, page_of(free))
    assert page.in_order(
        "This isn’t in your stock yet", "Match to an item", "New item in your stock"
    )
    assert (await page.send(page_of(free, "/put-away"), quantity=4)).status_code == 303
    (item,) = (await home.admin.get("/items")).json()["items"]
    assert (item["name"], item["quantity"]) == ("Balloons", 4)
    assert (await get_entry(home.admin, free))["itemId"] == item["itemId"]
    back = await (await look(home.admin, page_of(free))).send(page_of(free, "/put-away"))
    assert back.status_code == 303
    assert await item_count(home, item) == 0


async def test_free_text_is_matched_to_item_of_same_name(home: Home, milk: Shown) -> None:
    await add_stock_item(home, "Rice")
    free = await add_purchased_entry(home.admin, name="MILK")
    page = await look(home.admin, page_of(free))
    assert page.form(page_of(free, "/put-away")).fields["itemId"] == milk["itemId"]
    await page.send(page_of(free, "/put-away"))
    assert await item_count(home, milk) == 2
    assert (await get_entry(home.admin, free))["itemId"] == milk["itemId"]


async def test_free_text_is_put_away_without_an_item(home: Home, milk: Shown) -> None:
    free = await add_purchased_entry(home.admin, name="Milk")
    away = page_of(free, "/put-away")
    chosen = {"version": 2, "freeText": 1, "itemId": milk["itemId"], "withoutItem": 1}
    assert (await send(home.admin, away, **chosen)).status_code == 303
    done = await get_entry(home.admin, free)
    assert done["putAwayAt"] is not None
    assert done["itemId"] is None
    assert await item_count(home, milk) == 1
    await (await look(home.admin, page_of(free))).send(away)
    assert (await get_entry(home.admin, free))["putAwayAt"] is None


async def test_free_text_cannot_be_matched_to_deleted_item(home: Home, milk: Shown) -> None:
    free = await add_purchased_entry(home.admin, name="Balloons")
    away, chosen = page_of(free, "/put-away"), {"version": 2, "freeText": 1}
    await home.admin.delete(f"/items/{milk['itemId']}")
    answer = await send(home.admin, away, **chosen, itemId=milk["itemId"])
    assert answer.headers["location"] == "/list?said=not-there"
    assert await get_entry(home.admin, free) == free
    missing = f"/list/{NOBODYS}/put-away"
    assert (await send(home.admin, missing, **chosen)).status_code == 404
