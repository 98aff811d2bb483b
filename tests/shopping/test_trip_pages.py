"""Test the page that puts a whole trip away."""

from asyncio import gather

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_place,
    add_purchased_entry,
    entry_page_path,
    get_entry,
    get_item,
    mark_entry,
    nothing_changes,
    put_away,
    set_archived,
)
from tests.home import NOBODYS, Home
from tests.pages import led_to, look, read, send
from tests.running import Person

ALL = "/list/put-away-all"


async def buy(home: Home, item: Shown, **body: object) -> Shown:
    return await add_purchased_entry(home.admin, itemId=item["itemId"], **body)


async def item_count(home: Home, item: Shown) -> int:
    return int((await get_item(home.admin, item))["quantity"])


def field_name(entry: Shown, name: str) -> str:
    return f"{entry['shoppingItemId']}.{name}"


async def test_child_and_other_family_cannot_put_a_trip_away(
    home: Home, kid: Person, milk: Shown
) -> None:
    entry = await buy(home, milk)
    line = {field_name(entry, "version"): entry["version"], field_name(entry, "quantity"): 1}
    async with nothing_changes(home):
        await look(kid, ALL, 403)
        assert (await send(kid, ALL, **line)).status_code == 403
        gone = {f"{NOBODYS}.version": 1, f"{NOBODYS}.quantity": 1}
        assert led_to(await send(home.admin, ALL, **gone)) == f"{ALL}?said=changed"


async def test_one_form_puts_the_whole_trip_away(home: Home, milk: Shown, market: Shown) -> None:
    fridge = await add_place(home.admin, "locations", "Fridge")
    await add_item(home.admin, name="Butter", locationId=fridge["locationId"])
    tea = await add_item(home.admin, name="Tea", quantity=1, locationId=fridge["locationId"])
    known = [await buy(home, milk, quantity=3), await buy(home, tea)]
    new, same, done = [
        await add_purchased_entry(home.admin, name=name, storeId=market["storeId"])
        for name in ("Salted butter", "TEA", "Balloons")
    ]
    waiting = await add_entry(home.admin, itemId=tea["itemId"])
    assert (await look(home.admin, "/list")).words.count("5 items bought.") == 1
    page = await look(home.admin, ALL)
    assert page.in_order("Balloons", "Track it", "Match to an item", "Not this one", "Milk", "Tea")
    assert page.in_order("Salted butter", "Fridge")
    assert page.form(ALL).fields[field_name(same, "itemId")] == tea["itemId"]
    typed = {
        field_name(known[0], "quantity"): 2,
        field_name(new, "stock"): "new",
        field_name(same, "stock"): "match",
        field_name(done, "stock"): "none",
    }
    assert led_to(await page.send(ALL, **typed)) == "/list?said=away"
    assert (
        "Put away. Your stock is up to date." in (await look(home.admin, "/list?said=away")).words
    )
    assert [await item_count(home, milk), await item_count(home, tea)] == [3, 3]
    linked = await get_entry(home.admin, new)
    butter = await get_item(home.admin, linked)
    assert (butter["name"], butter["quantity"]) == ("Salted butter", 1)
    assert butter["locationId"] == fridge["locationId"]
    assert (await get_entry(home.admin, done))["putAwayAt"]
    assert await get_entry(home.admin, waiting) == waiting
    assert "Everything is put away." in (await look(home.admin, ALL)).words
    back = led_to(await page.send(ALL, **typed))
    names = "Balloons, Milk, Salted butter, TEA, Tea were already put away"
    assert names in (await look(home.admin, back)).words
    assert [await item_count(home, milk), await item_count(home, tea)] == [3, 3]


async def test_two_people_put_one_trip_away_and_it_counts_once(home: Home, milk: Shown) -> None:
    tea = await add_item(home.admin, name="Tea", quantity=1)
    for item in (milk, tea):
        await buy(home, item, quantity=2)
    glue = await add_purchased_entry(home.admin, name="Glue")
    pages = [await look(home.admin, ALL) for _ in range(2)]
    choice = {field_name(glue, "stock"): "new"}
    paths = [led_to(each) for each in await gather(*(page.send(ALL, **choice) for page in pages))]
    assert [await item_count(home, milk), await item_count(home, tea)] == [3, 3]
    items = (await home.admin.get("/items")).json()["items"]
    assert sorted(item["name"] for item in items) == ["Glue", "Milk", "Tea"]
    told = [(await look(home.admin, path)).words.count("already put away") for path in paths]
    assert sum(told) >= 1


async def test_changes_of_others_since_the_page_was_shown_are_told(home: Home, milk: Shown) -> None:
    names = ("Salt", "Rice", "Tea", "Oats")
    items = [await add_item(home.admin, name=name, quantity=1) for name in names]
    salt, rice, tea, oats = [await buy(home, item) for item in items]
    await buy(home, milk)
    page = await look(home.admin, ALL)
    await put_away(home.admin, salt)
    await home.admin.delete(f"/shopping-list/{rice['shoppingItemId']}")
    await home.admin.patch(f"/shopping-list/{tea['shoppingItemId']}", {"notes": "!", "version": 2})
    await mark_entry(home.admin, oats, "pending")
    path = led_to(await page.send(ALL))
    assert path == f"{ALL}?said=changed&already={salt['shoppingItemId']}"
    assert "Salt was already put away, so it wasn’t counted" in (await look(home.admin, path)).words
    assert [await item_count(home, item) for item in (milk, *items)] == [2, 2, 1, 2, 1]


async def test_archived_items_stay_and_are_named_with_a_way_on(home: Home, milk: Shown) -> None:
    coffee = await add_item(home.admin, name="Coffee", quantity=1)
    entries = [await buy(home, item) for item in (milk, coffee)]
    page = await look(home.admin, ALL)
    await set_archived(home.admin, coffee, "archive")
    left = read(home.admin, await home.admin.client.get(led_to(await page.send(ALL))))
    assert left.in_order("Not everything could be put away", "Archived", "Coffee")
    assert f"/stock/{coffee['itemId']}" in left.links
    assert not left.has_form(ALL)
    assert "1 item bought." in (await look(home.admin, "/list")).words
    assert await get_entry(home.admin, entries[1]) == entries[1]
    await set_archived(home.admin, coffee, "unarchive")
    assert led_to(await (await look(home.admin, ALL)).send(ALL)) == "/list?said=away"
    assert [await item_count(home, item) for item in (milk, coffee)] == [2, 2]


async def test_trip_to_a_store_leaves_other_stores_alone(
    home: Home, milk: Shown, market: Shown
) -> None:
    chemist = await add_place(home.admin, "stores", "Chemist")
    soap = await add_item(home.admin, name="Soap", preferredStoreId=chemist["storeId"])
    for item in (milk, soap):
        await buy(home, item)
    here = f"?at={market['storeId']}"
    assert f"{ALL}{here}" in (await look(home.admin, f"/list{here}")).links
    page = await look(home.admin, f"{ALL}{here}")
    assert "Soap" not in page.words
    assert led_to(await page.send(f"{ALL}{here}")) == f"/list{here}&said=away"
    assert [await item_count(home, milk), await item_count(home, soap)] == [2, 0]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"quantity": "0"}, "Enter a whole number, 1 or more."),
        ({"stock": "match", "itemId": ""}, "Choose an item."),
    ],
)
async def test_wrong_line_is_shown_and_puts_nothing_away(
    home: Home, milk: Shown, typed: dict[str, str], said: str
) -> None:
    entry = await buy(home, milk)
    glue = await add_purchased_entry(home.admin, name="Glue", quantity=4)
    page = await look(home.admin, ALL)
    sent = {field_name(glue, "stock"): "none"} | {
        field_name(glue, each): typed[each] for each in typed
    }
    async with nothing_changes(home):
        shown = read(home.admin, await page.send(ALL, **sent), 400)
    assert said in shown.words
    fields = shown.form(ALL).fields
    assert {each: fields[each] for each in sent} == sent
    again = {field_name(glue, "stock"): "none", field_name(glue, "quantity"): 4}
    assert led_to(await shown.send(ALL, **again)) == "/list?said=away"
    assert (await get_entry(home.admin, entry))["putAwayAt"]


async def test_row_of_purchased_free_text_links_to_its_choices(home: Home) -> None:
    entry = await add_purchased_entry(home.admin, name="Glue")
    page = await look(home.admin, "/list")
    assert f"{entry_page_path(entry)}#away" in page.links
