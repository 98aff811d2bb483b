"""Test adding everything that runs low to the list with one press on Home."""

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    get_shopping_list,
    nothing_changes,
)
from tests.home import Home
from tests.pages import led_to, look, send
from tests.running import Person

LOW = "/list/low"


async def listed_names(home: Home) -> list[str]:
    return sorted(entry["name"] for entry in await get_shopping_list(home.admin))


async def test_child_cannot_add_low_items(home: Home, kid: Person, milk: Shown) -> None:
    await add_item(home.admin, name="Rice", quantity=0, threshold=1)
    await add_item(home.admin, name="Salt", quantity=0, threshold=1)
    entry = await add_entry(home.admin, itemId=milk["itemId"])
    assert not (await look(kid, "/")).has_form(LOW)
    async with nothing_changes(home):
        assert (await send(kid, LOW)).status_code == 403
        undo = f"{LOW}/undo?added={entry['shoppingItemId']}"
        assert (await send(kid, undo)).status_code == 403


async def test_all_low_items_are_added_once_and_can_be_undone(home: Home) -> None:
    names = ("Eggs", "Milk", "Rice", "Salt", "Tea")
    eggs, _milk, _rice, salt, tea = [
        await add_item(home.admin, name=name, quantity=0, threshold=1) for name in names
    ]
    await add_item(home.admin, name="Oats", quantity=3, threshold=1)
    await add_entry(home.admin, itemId=salt["itemId"])
    await add_purchased_entry(home.admin, itemId=tea["itemId"])
    page = await look(home.admin, "/")
    assert "Add all 3 to the list" in page.words
    back = led_to(await page.send(LOW))
    assert await listed_names(home) == ["Eggs", "Milk", "Rice", "Salt", "Tea"]
    assert led_to(await page.send(LOW)) == "/"
    assert await listed_names(home) == ["Eggs", "Milk", "Rice", "Salt", "Tea"]
    said = await look(home.admin, back)
    assert said.in_order("Added 3 items.", "Undo")
    assert not said.has_form(LOW)
    (mine,) = [it for it in await get_shopping_list(home.admin) if it["itemId"] == eggs["itemId"]]
    ticked = {"status": "purchased", "version": 1}
    await home.admin.patch(f"/shopping-list/{mine['shoppingItemId']}/status", ticked)
    undo = f"{LOW}/undo?added={back.partition('added=')[2].replace('%2C', ',')}"
    assert led_to(await said.send(undo)) == "/"
    assert await listed_names(home) == ["Eggs", "Salt", "Tea"]
