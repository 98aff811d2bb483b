"""Stocktaking pages without scripts."""

import re

import pytest

from homeshelf.config import Rate
from homeshelf.table import Database
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    adjust,
    get_all_pages,
    get_item,
    set_archived,
)
from tests.home import NOBODYS, Home, new_home
from tests.pages import OURS, led_to, look, read, see, send
from tests.running import Person, running_app

TAKE = "/stock/take"


async def items_by_name(home: Home) -> dict[str, Shown]:
    return {
        item["name"]: item for item in await get_all_pages(home.admin, "/items?status=all", 100)
    }


async def location_ids(home: Home) -> dict[str, str]:
    found = await get_all_pages(home.admin, "/locations", 100)
    return {place["name"]: place["locationId"] for place in found}


async def test_child_cannot_take_stock(home: Home, kid: Person) -> None:
    await see(kid, TAKE, 403)
    rice = await add_item(home.admin, quantity=3)
    undone = {"itemId": rice["itemId"], "delta": 1}
    assert (await send(kid, TAKE, text="Milk")).status_code == 403
    assert (await send(kid, f"{TAKE}/undo", **undone)).status_code == 403
    assert (await items_by_name(home)).keys() == {"Rice"}
    assert (await get_item(home.admin, rice))["quantity"] == 3


async def test_items_of_another_family_cannot_be_counted_or_undone(
    home: Home, neighbour: Person
) -> None:
    theirs = await add_item(neighbour, name="Milk", quantity=3)
    undone = {"itemId": theirs["itemId"], "delta": 1, "version": 1}
    await send(home.admin, f"{TAKE}/undo", **undone)
    await send(home.admin, f"{TAKE}/undo", itemId=theirs["itemId"], delta=1)
    await send(home.admin, TAKE, text="Milk 2")
    assert (await get_item(neighbour, theirs))["quantity"] == 3
    assert (await items_by_name(home))["Milk"]["quantity"] == 2
    shown = await look(home.admin, f"{TAKE}?took={theirs['itemId']}&more=1")
    assert not shown.has_form(f"{TAKE}/undo")


async def test_form_keeps_location_for_next_item(home: Home) -> None:
    fridge = (await add_place(home.admin, "locations", "Fridge"))["locationId"]
    market = (await add_place(home.admin, "stores", "Market"))["storeId"]
    page = await look(home.admin, TAKE)
    around = {"locationId": fridge, "unit": "packs", "preferredStoreId": market}
    page = await look(home.admin, led_to(await page.send(TAKE, text="Butter 3", **around)))
    assert "Added 3 Butter. You have 3 packs now." in page.words
    kept = page.form(TAKE).fields
    assert {name: kept[name] for name in around} == around
    assert (kept["text"], kept["quantity"]) == ("", "1")
    await page.send(TAKE, text="Milk 2 l", quantity=5)
    found = await items_by_name(home)
    for name, count, unit, notes in (("Butter", 3, "packs", None), ("Milk", 5, None, "2 l")):
        item = found[name]
        assert (item["quantity"], item.get("unit"), item.get("notes")) == (count, unit, notes)
        assert (item["locationId"], item["preferredStoreId"]) == (fridge, market)


async def test_existing_item_is_counted_up(home: Home) -> None:
    milk = await add_item(home.admin, name="Milk", quantity=2, unit="l")
    page = await look(home.admin, led_to(await send(home.admin, TAKE, text="mílk 3")))
    assert "Added 3 Milk. You have 5 l now." in page.words
    assert (await items_by_name(home)).keys() == {"Milk"}
    now = await get_item(home.admin, milk)
    assert (now["quantity"], now["unit"]) == (5, "l")
    history = await get_all_pages(home.admin, f"/items/{milk['itemId']}/history", 100)
    assert [(each["source"], each["delta"]) for each in history] == [("adjust", 3), ("created", 2)]


async def test_equal_names_prefer_current_location(home: Home) -> None:
    cellar = (await add_place(home.admin, "locations", "Cellar"))["locationId"]
    wine = [
        await add_item(home.admin, name="Wine", quantity=1, locationId=at)
        for at in (None, cellar, None)
    ]
    await send(home.admin, TAKE, text="wine", locationId=cellar)
    assert [(await get_item(home.admin, it))["quantity"] for it in wine] == [1, 2, 1]


async def test_equal_names_prefer_location_of_line(
    home: Home,
) -> None:
    places = [
        (await add_place(home.admin, "locations", name))["locationId"]
        for name in ("Pantry", "Cellar")
    ]
    wine = [
        await add_item(home.admin, name="Wine", quantity=1, locationId=at) for at in (None, *places)
    ]
    await send(home.admin, TAKE, text="wine 3, cellar", locationId=places[0])
    assert [(await get_item(home.admin, it))["quantity"] for it in wine] == [1, 1, 4]
    await send(home.admin, TAKE, text="wine 2, attic", locationId=places[0])
    assert [(await get_item(home.admin, it))["quantity"] for it in wine] == [1, 3, 4]


async def test_similar_names_prefer_exact_spelling(
    home: Home,
) -> None:
    cellar = (await add_place(home.admin, "locations", "Cellar"))["locationId"]
    both = [
        await add_item(home.admin, name="Pate", quantity=1, locationId=cellar),
        await add_item(home.admin, name="Pâté", quantity=1),
        await add_item(home.admin, name="PATE", quantity=1),
    ]
    await send(home.admin, TAKE, text="pâté", locationId=cellar)
    await send(home.admin, TAKE, text="pate", locationId=cellar)
    await send(home.admin, TAKE, text="páte 3", locationId=cellar)
    assert [(await get_item(home.admin, it))["quantity"] for it in both] == [5, 2, 1]


async def test_archived_item_is_not_counted_up(home: Home) -> None:
    old = await add_item(home.admin, name="Milk", quantity=2)
    await set_archived(home.admin, old, "archive")
    led_to(await send(home.admin, TAKE, text="Milk 3"))
    assert (await get_item(home.admin, old))["quantity"] == 2
    (new,) = await get_all_pages(home.admin, "/items", 100)
    assert (new["name"], new["quantity"]) == ("Milk", 3)


async def test_undo_deletes_new_item(home: Home) -> None:
    page = await look(home.admin, led_to(await send(home.admin, TAKE, text="Milk", unit="l")))
    answer = await page.send(f"{TAKE}/undo")
    assert led_to(answer) == f"{TAKE}?unit=l"
    assert await items_by_name(home) == {}


async def test_undo_subtracts_count_of_existing_item(home: Home) -> None:
    milk = await add_item(home.admin, name="Milk", quantity=2)
    page = await look(home.admin, led_to(await send(home.admin, TAKE, text="Milk 3")))
    await adjust(home.admin, milk, 1)
    led_to(await page.send(f"{TAKE}/undo"))
    assert (await get_item(home.admin, milk))["quantity"] == 3


async def test_undo_keeps_item_changed_since(home: Home) -> None:
    page = await look(home.admin, led_to(await send(home.admin, TAKE, text="Milk 2")))
    await adjust(home.admin, (await items_by_name(home))["Milk"], -1)
    led_to(await page.send(f"{TAKE}/undo"))
    assert (await items_by_name(home))["Milk"]["quantity"] == 1


async def test_new_place_is_created_and_stays_selected(home: Home) -> None:
    page = await look(home.admin, TAKE)
    page = await look(home.admin, led_to(await page.send(TAKE, text="Wine", newPlace="Cellar")))
    cellar = (await location_ids(home))["Cellar"]
    assert page.form(TAKE).fields["locationId"] == cellar
    await send(home.admin, TAKE, text="Beer", newPlace="cellar")
    found = await items_by_name(home)
    assert {found["Wine"]["locationId"], found["Beer"]["locationId"]} == {cellar}
    assert (await location_ids(home)).keys() == {"Cellar"}


PASTED = "Milk 2, l, fridge\nRice 500g, cellar\nmilk, 1, l, Fridge\nCellar:\n- Wine 6\n- Rice\nSalt"


async def test_list_is_previewed_before_adding(home: Home) -> None:
    fridge = (await add_place(home.admin, "locations", "Fridge"))["locationId"]
    await add_item(home.admin, name="Salt", quantity=3)
    page = read(home.admin, await send(home.admin, TAKE, text=PASTED, unit="packs"))
    twice = "More than once in your list"
    assert page.in_order("5 items: does this look right?", "Milk", twice, "3 l", "Fridge", "Rice",
        "500 g", twice, "1", "cellar", "new", "Wine", "6", "Rice", twice, "Salt",
        "You have 3; this makes 4.", "1", "No place")  # fmt: skip
    assert page.words.count(twice) == 3
    assert page.in_order("Create place: cellar", "Add 5 items")
    assert page.title == "Does this look right? · Homeshelf"
    assert (await items_by_name(home)).keys() == {"Salt"}
    assert led_to(await page.send(TAKE, seen="1")) == "/stock"
    found, places = await items_by_name(home), await location_ids(home)
    assert places.keys() == {"Fridge", "cellar"}
    assert {name: (item["quantity"], item.get("unit"), item.get("locationId"))
        for name, item in found.items()} == {
        "Milk": (3, "l", fridge),
        "Rice": (1, None if found["Rice"].get("notes") else "packs", places["cellar"]),
        "Wine": (6, "packs", places["cellar"]),
        "Salt": (4, None, None),
    }  # fmt: skip


async def test_line_without_place_is_previewed_at_current_location(home: Home) -> None:
    fridge = (await add_place(home.admin, "locations", "Fridge"))["locationId"]
    page = read(home.admin, await send(home.admin, TAKE, text="Milk\nJam", locationId=fridge))
    assert page.in_order("Milk", "1", "Fridge", "Jam", "1", "Fridge", "Add 2 items")


async def test_previewed_list_can_be_corrected(home: Home) -> None:
    page = read(home.admin, await send(home.admin, TAKE, text="Milk\nRise"))
    page = read(home.admin, await page.send(TAKE, text="Milk\nRice"))
    assert page.form(TAKE).fields["text"] == "Milk\nRice"
    assert "Rise" not in page.words
    await page.send(TAKE, seen="1")
    assert (await items_by_name(home)).keys() == {"Milk", "Rice"}


async def test_unknown_places_are_created_only_on_request(home: Home) -> None:
    page = read(home.admin, await send(home.admin, TAKE, text="Milk, fridge\nRice, cellar"))
    fields = page.form(TAKE).fields
    del fields["makesPlaces"]
    led_to(await page.send(TAKE, seen="1"))
    assert await location_ids(home) == {}
    assert {item.get("locationId") for item in (await items_by_name(home)).values()} == {None}


async def test_ticked_items_are_previewed(home: Home) -> None:
    await add_item(home.admin, name="MILK")
    page = await look(home.admin, TAKE)
    assert page.in_order("Fridge", "Milk", "Pantry", "Rice")
    assert (
        '<input type="checkbox" name="ticked" value="Milk, Fridge" disabled checked>' in page.text
    )
    ticked = [("ticked", ""), ("ticked", "Butter, Fridge"), ("ticked", "Rice, Pantry")]
    body = "&".join(f"{name}={value.replace(', ', '%2C+')}" for name, value in ticked)
    form = {**OURS, "Content-Type": "application/x-www-form-urlencoded"}
    page = read(home.admin, await home.admin.client.post(TAKE, content=body, headers=form))
    assert page.in_order("2 items", "Butter", "Rice", "Create places: Fridge, Pantry")
    led_to(await page.send(TAKE, seen="1"))
    places = await location_ids(home)
    found = await items_by_name(home)
    assert found["Butter"]["locationId"] == places["Fridge"]
    assert found["Rice"]["locationId"] == places["Pantry"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" ", "Write down what you have"),
        ("m" * 101, "at most 100 characters"),
        ("Milk\n" + "m" * 101, "at most 100 characters"),
        ("Milk, " + "p" * 51, "at most 50 characters"),
        ("\u200b", "Write down what you have"),
        ("2x \u200b", "Write down what you have"),
        ("Milk\n\u2800 x3", "Write down what you have"),
        ("\u200b:\nMilk", "Use at most"),
        (
            "\n".join(f"Thing {chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(501)),
            "up to 500",
        ),
    ],
    ids=[
        "nothing",
        "long",
        "long-line",
        "long-place",
        "unseen",
        "unseen-name",
        "unseen-line",
        "unseen-place",
        "many",
    ],
)
async def test_invalid_form_keeps_typed_values(home: Home, text: str, said: str) -> None:
    page = read(home.admin, await send(home.admin, TAKE, text=text), 400)
    assert said in page.words
    assert text.strip() in page.text
    assert await items_by_name(home) == {}


@pytest.mark.parametrize("text", ["Milk\n\u200b", "Milk, \u200b", "\ufeff\r\nMilk\t\u2800"])
async def test_invisible_text_is_neither_item_nor_place(home: Home, text: str) -> None:
    led_to(await send(home.admin, TAKE, text=text, makesPlaces="true"))
    assert (await items_by_name(home)).keys() == {"Milk"}
    assert await location_ids(home) == {}


async def test_deleted_location_is_reported(home: Home) -> None:
    page = read(home.admin, await send(home.admin, TAKE, text="Milk", locationId=NOBODYS), 400)
    assert "There’s no such place." in page.words
    assert await items_by_name(home) == {}


async def test_page_has_template_for_counted_rows(home: Home) -> None:
    (row,) = re.findall(
        '<template id="taken-row">(.*?)</template>', await see(home.admin, TAKE), re.DOTALL
    )
    assert "Undo" in row


async def test_stock_page_links_to_stocktaking(home: Home) -> None:
    assert (await look(home.admin, "/stock")).links.count(TAKE) == 3
    await add_item(home.admin)
    assert (await look(home.admin, "/stock")).links.count(TAKE) == 2


async def test_stock_page_of_child_has_no_stocktaking_link(home: Home, kid: Person) -> None:
    assert TAKE not in (await look(kid, "/stock")).links
    await add_item(home.admin)
    assert TAKE not in (await look(kid, "/stock")).links


async def test_list_longer_than_a_batch_is_added(home: Home) -> None:
    text = "\n".join(f"Thing {chr(97 + n // 26)}{chr(97 + n % 26)}, cellar" for n in range(130))
    page = read(home.admin, await send(home.admin, TAKE, text=text))
    assert led_to(await page.send(TAKE, seen="1")) == "/stock"
    found = await get_all_pages(home.admin, "/items", 100)
    assert len({item["name"] for item in found}) == len(found) == 130
    assert {item["locationId"] for item in found} == set((await location_ids(home)).values())


async def test_each_line_counts_towards_write_limit(database: Database) -> None:
    async with running_app(database, limit_writes=Rate(10, 60)) as running:
        ada = (await new_home(running, "Lovelace", "ada")).admin
        five = "\n".join(f"Thing {letter}" for letter in "abcde")
        assert (await send(ada, TAKE, text=five, seen="1")).status_code == 303
        six = "\n".join(f"Other {letter}" for letter in "abcdef")
        assert (await send(ada, TAKE, text=six, seen="1")).status_code == 429
        assert len(await get_all_pages(ada, "/items", 100)) == 5


async def test_count_accepts_up_to_a_million(home: Home) -> None:
    for _ in range(2):
        assert (await send(home.admin, TAKE, text="Screws", quantity=1_000_000)).status_code == 303
    assert (await send(home.admin, TAKE, text="Screws", quantity=1_000_001)).status_code == 400
    assert (await send(home.admin, TAKE, text="Nails", quantity=1_000_001)).status_code == 400
    found = await items_by_name(home)
    assert {name: item["quantity"] for name, item in found.items()} == {"Screws": 2_000_000}


@pytest.mark.parametrize("count", ["1000001", "0", "some"])
async def test_invalid_count_is_reported_and_kept(home: Home, count: str) -> None:
    answer = await send(home.admin, TAKE, text="Nails", quantity=count)
    page = read(home.admin, answer, 400)
    assert "Enter a whole number, 1 or more." in page.words
    kept = page.form(TAKE).fields
    assert (kept["text"], kept["quantity"]) == ("Nails", count)
    assert await items_by_name(home) == {}
