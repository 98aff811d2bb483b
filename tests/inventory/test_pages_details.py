"""Alternate stores and the history on the stock pages."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from tests.api_client import (
    Shown,
    add_item,
    add_place,
    add_purchased_entry,
    adjust,
    edit_item,
    get_all_pages,
    get_item,
    put_away,
    take_back,
)
from tests.home import NOBODYS, Home
from tests.pages import OURS, see
from tests.running import Person

ELSE = "alternateStoreIds"


@pytest.fixture
async def shops(home: Home) -> list[str]:
    names = ("Baker", "Market", "Grocer")
    return [(await add_place(home.admin, "stores", name))["storeId"] for name in names]


async def send_repeated_fields(who: Person, path: str, *fields: tuple[str, Any]) -> httpx.Response:
    """Send a form with repeated fields."""
    headers = OURS | {"Content-Type": "application/x-www-form-urlencoded"}
    return await who.client.post(path, content=urlencode(fields), headers=headers)


def checked_values(shown: str) -> list[str]:
    return re.findall(rf'name="{ELSE}" value="([^"]+)" checked', shown)


def text_of(shown: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())


async def test_add_form_stores_alternate_stores(home: Home, shops: list[str]) -> None:
    fields = [("name", "Bread"), ("preferredStoreId", shops[0]), (ELSE, "")]
    await send_repeated_fields(
        home.admin, "/stock/new", *fields, (ELSE, shops[1]), (ELSE, shops[2])
    )
    (item,) = await get_all_pages(home.admin, "/items", 100)
    assert (item["preferredStoreId"], item[ELSE]) == (shops[0], shops[1:])
    assert "Sold at Baker, Market, Grocer." in await see(home.admin, f"/stock/{item['itemId']}")


async def test_edit_form_changes_and_clears_alternate_stores(home: Home, shops: list[str]) -> None:
    item = await add_item(home.admin, name="Bread", **{ELSE: [shops[1]]})
    path = f"/stock/{item['itemId']}/edit"
    assert checked_values(await see(home.admin, path)) == [shops[1]]
    rest = [("name", "Bread"), ("version", 1), (ELSE, "")]
    answer = await send_repeated_fields(home.admin, path, *rest, (ELSE, shops[2]), (ELSE, shops[2]))
    assert answer.status_code == 303
    assert (await get_item(home.admin, item))[ELSE] == [shops[2]]
    await send_repeated_fields(home.admin, path, ("name", "Bread"), ("version", 2), (ELSE, ""))
    assert (await get_item(home.admin, item))[ELSE] == []


async def test_form_without_alternate_stores_keeps_them(home: Home, shops: list[str]) -> None:
    item = await add_item(home.admin, name="Bread", **{ELSE: [shops[1]]})
    path = f"/stock/{item['itemId']}/edit"
    await send_repeated_fields(home.admin, path, ("name", "Rolls"), ("version", 1))
    now = await get_item(home.admin, item)
    assert (now["name"], now[ELSE]) == ("Rolls", [shops[1]])


async def test_invalid_form_keeps_ticked_stores(home: Home, shops: list[str]) -> None:
    item = await add_item(home.admin, name="Bread")
    boxes = [(ELSE, ""), (ELSE, shops[0]), (ELSE, shops[2])]
    path = f"/stock/{item['itemId']}/edit"
    wrong = await send_repeated_fields(home.admin, path, ("name", ""), ("version", 1), *boxes)
    assert wrong.status_code == 400
    assert sorted(checked_values(wrong.text)) == sorted([shops[0], shops[2]])
    await edit_item(home.admin, item, name="Rolls")
    late = await send_repeated_fields(home.admin, path, ("name", "Buns"), ("version", 1), *boxes)
    assert sorted(checked_values(late.text)) == sorted([shops[0], shops[2]])
    gone = await send_repeated_fields(
        home.admin, path, ("name", "Buns"), ("version", 2), (ELSE, NOBODYS)
    )
    assert (gone.status_code, "name-wrong" in gone.text) == (400, True)
    many = [(ELSE, f"0b0d1e5a-7c55-4c1b-9f6e-0d5f1e3f7a{n:02}") for n in range(21)]
    too_many = await send_repeated_fields(home.admin, path, ("name", "Buns"), ("version", 2), *many)
    assert "Choose up to 20 other shops." in too_many.text
    assert (await get_item(home.admin, item))[ELSE] == []


async def test_history_shows_author_and_source(home: Home, kid: Person) -> None:
    gran = await home.with_member("gran", "admin")
    item = await add_item(home.admin, name="Tea", quantity=2)
    await adjust(gran, item, 3)
    entry = await add_purchased_entry(home.admin, itemId=item["itemId"])
    entry, _item = await put_away(home.admin, entry)
    await take_back(gran, entry)
    tag = (await home.admin.post(f"/items/{item['itemId']}/nfc-urls", {})).json()
    await kid.post(f"/taps/{tag['urlId']}", {"delta": -1})
    await home.remove_member(gran)
    for who in (home.admin, kid):
        shown = await see(who, f"/stock/{item['itemId']}")
        told = text_of(shown.partition("<tbody>")[2].partition("</tbody>")[0])
        assert told == (
            "just now Someone By tag -1 4 "
            "just now gran Undone -1 5 "
            "just now ada Bought and put away +1 6 "
            "just now gran Counted +3 5 "
            "just now ada Added to stock +2 2"
        )


async def test_first_history_entry_shows_author(home: Home) -> None:
    item: Shown = await add_item(home.admin, name="Tea", quantity=2)
    assert "ada Added to stock +2 2" in text_of(await see(home.admin, f"/stock/{item['itemId']}"))


async def test_item_page_shows_picture_and_barcodes(home: Home) -> None:
    one = await add_item(home.admin, name="Bread", picture="🍞", barcodes=["96385074"])
    shown = await see(home.admin, f"/stock/{one['itemId']}")
    (heading,) = re.findall(r"<h1.*?</h1>", shown, re.DOTALL)
    assert text_of(heading) == "🍞 Bread"
    assert "Barcode: 96385074" in text_of(shown)
    await edit_item(home.admin, one, barcodes=["96385074", "4006381333931"])
    shown = await see(home.admin, f"/stock/{one['itemId']}")
    assert "Barcodes: 96385074, 4006381333931" in text_of(shown)


@pytest.mark.usefixtures("shops")
async def test_each_store_checkbox_has_a_label(home: Home) -> None:
    shown = await see(home.admin, "/stock/new")
    choices = re.findall(rf'name="{ELSE}" value="[^"]+"\s*><span>([^<]*)</span>', shown)
    assert sorted(choices) == ["Baker", "Grocer", "Market"]
