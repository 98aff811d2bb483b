"""An item has the same picture on every page."""

import re
from html import unescape

import pytest

from homeshelf.web.wording import hue, letter
from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    adjust,
    edit_item,
    get_item,
)
from tests.home import Home
from tests.pages import see, send
from tests.running import Person
from tests.suggestions.wish_requests import ask_for, propose, reject
from tests.taps.tags import make_tag

CHOSEN = "🦄"
NAME = "Oat milk"
GUESSED = "🥛"


def pictures_in(page: str) -> set[str]:
    shown = re.sub(r"<template\b.*?</template>", "", page, flags=re.DOTALL)
    found = re.findall(r'<span class="picture[^>]*>([^<]*)</span>', shown)
    assert len(found) == len(re.findall(r'<span class="picture[^>]*aria-hidden="true">', shown))
    return set(map(unescape, found))


async def everywhere(home: Home, kid: Person, item: Shown) -> dict[str, set[str]]:
    """Return the pictures of an item on each page that shows it."""
    await add_purchased_entry(home.admin, itemId=item["itemId"])
    entry = await add_entry(home.admin, itemId=item["itemId"])
    await ask_for(kid, item)
    tag = await make_tag(home.admin, item, label="fridge")
    line, tapped = f"/list/{entry['shoppingItemId']}", f"/t/{tag['urlId']}"
    lists = ["/", "/stock", "/list", "/wishes", "/notices", "/tags", "/tags/print"]
    pages = [*lists, f"/stock/{item['itemId']}", line, tapped]
    found = {path: pictures_in(await see(home.admin, path)) for path in pages}
    for path in ("/wishes", f"/wishes/items/{item['itemId']}", "/list", "/stock"):
        found[f"child {path}"] = pictures_in(await see(kid, path))
    return found


@pytest.mark.parametrize(
    ("name", "picture", "seen"),
    [(NAME, None, GUESSED), (NAME, CHOSEN, CHOSEN), ("xyz", None, "X"), ("xyz", CHOSEN, CHOSEN)],
)
async def test_picture_is_the_same_on_every_page(
    home: Home, kid: Person, name: str, picture: str | None, seen: str
) -> None:
    item = await add_item(home.admin, name=name, threshold=1, picture=picture)
    found = await everywhere(home, kid, item)
    assert found == {path: {seen} for path in found}


async def test_every_picture_has_a_name_beside_it(home: Home) -> None:
    await add_item(home.admin, name=NAME, picture=CHOSEN)
    shown = await see(home.admin, "/stock")
    (beside,) = re.findall(rf"{CHOSEN}</span>\s*<span class=\"row-text\">\s*([^<]+?)\s*<", shown)
    assert beside == NAME


async def test_suggestion_keeps_picture(home: Home, kid: Person) -> None:
    item = await add_item(home.admin, name=NAME, picture=CHOSEN)
    await reject(home.admin, await ask_for(kid, item))
    await propose(kid, "Bread")
    assert pictures_in(await see(home.admin, "/wishes")) == {CHOSEN, "🍞"}


async def test_resolved_notice_keeps_picture(home: Home) -> None:
    item = await add_item(home.admin, name=NAME, threshold=1, picture=CHOSEN)
    await adjust(home.admin, item, 1)
    assert pictures_in(await see(home.admin, "/notices")) == {CHOSEN}


async def test_free_text_entry_has_guessed_picture(home: Home) -> None:
    await add_item(home.admin, name="Bread", picture=CHOSEN)
    await add_entry(home.admin, name="Bread")
    assert pictures_in(await see(home.admin, "/list")) == {"🍞"}


async def test_each_letter_has_its_own_colour(home: Home) -> None:
    await add_item(home.admin, name="“äzzz” <b>")
    shown = await see(home.admin, "/stock")
    look = f"picture picture-letter face-{hue('“äzzz” <b>')}"
    assert f'<span class="{look}" aria-hidden="true">Ä</span>' in shown


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a\u0308pple", "Ä"), ("ßmm", "S"), ("2 % milk", "2"), ("حليب", "ح"), ("...", "."), ("", "")],
)
def test_first_letter_is_shown_without_picture(name: str, expected: str) -> None:
    assert letter(name) == expected


async def test_form_sets_and_clears_picture(home: Home) -> None:
    await send(home.admin, "/stock/new", name=NAME, quantity=1, tell="never", picture=f" {CHOSEN} ")
    shown = await see(home.admin, "/stock")
    assert pictures_in(shown) == {CHOSEN}
    (item_id,) = re.findall(r'<li id="([^"]+)" data-name', shown)
    path, item = f"/stock/{item_id}/edit", {"itemId": item_id}
    form = await see(home.admin, path)
    assert re.search(
        rf'name="picture" type="text" value="{CHOSEN}"[^>]* placeholder="{GUESSED}"', form
    )
    again = {"name": NAME, "tell": "never", "version": 1, "picture": ""}
    assert (await send(home.admin, path, **again)).status_code == 303
    assert (await get_item(home.admin, item))["picture"] is None


async def test_invalid_picture_is_reported(home: Home) -> None:
    item = await add_item(home.admin, name=NAME, picture=CHOSEN)
    path = f"/stock/{item['itemId']}/edit"
    answer = await send(home.admin, path, name=NAME, tell="never", version=1, picture="milk")
    assert answer.status_code == 400
    assert "Choose one emoji." in unescape(answer.text)
    assert 'value="milk"' in answer.text
    assert await get_item(home.admin, item) == item


async def test_rename_changes_only_guessed_picture(home: Home) -> None:
    free = await add_item(home.admin, name=NAME)
    kept = await add_item(home.admin, name=NAME, picture=CHOSEN)
    for item in (free, kept):
        await edit_item(home.admin, item, name="Bread")
    assert pictures_in(await see(home.admin, "/stock")) == {"🍞", CHOSEN}
