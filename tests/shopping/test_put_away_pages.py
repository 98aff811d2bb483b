"""Test the put-away forms of the list."""

from tests.api_client import (
    Shown,
    add_purchased_entry,
    entry_page_path,
    get_item,
)
from tests.home import Home
from tests.pages import led_to, look

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
