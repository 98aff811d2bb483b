"""Test the put-away forms of the list."""

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    entry_page_path,
    get_entry,
    get_item,
    put_away,
    set_archived,
)
from tests.home import Home
from tests.pages import led_to, look, send

CONFLICT_PATH = "/list?said=meanwhile"


async def test_put_away_form_and_its_undo_are_applied_once(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    page = await look(home.admin, "/list")
    assert led_to(await page.send(entry_page_path(entry, "/put-away"))) == "/list"
    assert (await get_item(home.admin, milk))["quantity"] == 5
    assert led_to(await page.send(entry_page_path(entry, "/put-away"))) == CONFLICT_PATH
    assert (await get_item(home.admin, milk))["quantity"] == 5
    page = await look(home.admin, "/list")
    assert led_to(await page.send(entry_page_path(entry, "/put-away"))) == "/list"
    assert (await get_item(home.admin, milk))["quantity"] == 1
    assert led_to(await page.send(entry_page_path(entry, "/put-away"))) == CONFLICT_PATH
    assert (await get_item(home.admin, milk))["quantity"] == 1


async def test_entry_changed_since_page_load_is_not_put_away(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    page = await look(home.admin, "/list")
    change = {"notes": "two are broken", "version": entry["version"]}
    edited = await home.admin.patch(f"/shopping-list/{entry['shoppingItemId']}", change)
    assert edited.status_code == 200
    assert led_to(await page.send(entry_page_path(entry, "/put-away"))) == CONFLICT_PATH
    assert (await get_item(home.admin, milk))["quantity"] == 1


async def test_put_all_away_adds_every_purchased_entry(home: Home, milk: Shown) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=1)
    salt = await add_item(home.admin, name="Salt", quantity=1)
    await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=4)
    away, _ = await put_away(
        home.admin, await add_purchased_entry(home.admin, itemId=rice["itemId"])
    )
    await add_purchased_entry(home.admin, name="Glue")
    waiting = await add_entry(home.admin, itemId=salt["itemId"])
    page = await look(home.admin, "/list")
    assert led_to(await page.send("/list/put-away-all")).startswith("/list?said=away")
    assert "Put away" in (await look(home.admin, "/list?said=away")).words
    assert (await get_item(home.admin, milk))["quantity"] == 5
    assert (await get_item(home.admin, rice))["quantity"] == 2
    assert (await get_item(home.admin, salt))["quantity"] == 1
    assert await get_entry(home.admin, away) == away
    assert await get_entry(home.admin, waiting) == waiting
    assert not (await look(home.admin, "/list")).has_form("/list/put-away-all")


async def test_put_all_away_skips_archived_item_only(home: Home, milk: Shown) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=1)
    salt = await add_item(home.admin, name="Salt", quantity=1)
    entries = [
        await add_purchased_entry(home.admin, itemId=each["itemId"]) for each in (milk, rice, salt)
    ]
    await set_archived(home.admin, rice, "archive")
    await send(home.admin, "/list/put-away-all")
    assert (await get_item(home.admin, milk))["quantity"] == 2
    assert (await get_item(home.admin, salt))["quantity"] == 2
    assert (await get_item(home.admin, rice))["quantity"] == 1
    assert (await get_entry(home.admin, entries[1]))["putAwayAt"] is None
