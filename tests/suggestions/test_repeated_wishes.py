"""Test that pages refuse a second wish for a wished or listed item."""

from pathlib import Path

import pytest

from homeshelf.suggestions.child_view import OpenRequests
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Database
from tests.api_client import Shown, add_entry, add_item, mark_entry
from tests.home import Home, new_home
from tests.pages import led_to, look, see, send
from tests.records import make_record
from tests.running import Person, running_app
from tests.suggestions.wish_requests import approve, ask_for, propose, reject
from tests.table.faulty_engines import LaggingSqlite

ASKED, BEFORE, ON_LIST = (f"/wishes?said={said}" for said in ("asked", "asked-before", "on-list"))


@pytest.fixture
async def sibling(home: Home) -> Person:
    return await home.with_member("Alva", "suggester")


def page_of(item: Shown) -> str:
    return f"/wishes/items/{item['itemId']}"


async def card_text(who: Person, item: Shown) -> str:
    """Return the text below an item's name on its card."""
    shown = await see(who, "/wishes")
    found = shown.partition(f'<li id="{item["itemId"]}">')[2].partition("</li>")[0]
    assert found
    return " ".join(found.partition("<small>")[2].partition("</small>")[0].split("> ")[-1].split())


async def count_pending(who: Person) -> int:
    return len((await who.get("/suggestions?status=pending")).json()["suggestions"])


async def test_item_without_wish_can_be_wished_for(kid: Person, rice: Shown) -> None:
    assert await card_text(kid, rice) == ""
    page = await look(kid, page_of(rice))
    assert led_to(await page.send("/wishes")) == ASKED
    assert await count_pending(kid) == 1


async def test_child_cannot_repeat_own_pending_wish(kid: Person, rice: Shown) -> None:
    page = await look(kid, page_of(rice))
    await ask_for(kid, rice)
    assert await card_text(kid, rice) == "You asked"
    cards = await look(kid, "/wishes")
    assert cards.in_order("I’d like", "Rice You asked", "Your wishes")
    assert cards.text.count(' data-from="/wishes"') == 3
    assert page_of(rice) not in cards.links
    after = await look(kid, page_of(rice))
    assert "You asked" in after.words
    assert not after.has_form("/wishes")
    assert led_to(await page.send("/wishes")) == BEFORE
    assert await count_pending(kid) == 1
    assert "already asked for" in (await look(kid, BEFORE)).words


async def test_repeated_wish_is_refused_despite_lagging_indexes(tmp_path: Path) -> None:
    database = Database(LaggingSqlite(tmp_path / "homeshelf.db", 3600.0))
    await database.engine.create_tables()
    async with running_app(database) as running:
        home = await new_home(running, "Lovelace", "ada")
        kid = await home.with_member("kid", "suggester")
        rice, tea = [await add_item(home.admin, name=name) for name in ("Rice", "Tea")]
        await add_entry(home.admin, itemId=tea["itemId"])
        for item, said in ((rice, ASKED), (rice, BEFORE), (tea, ON_LIST)):
            assert led_to(await send(kid, "/wishes", itemId=item["itemId"])) == said
    await database.close()


async def test_wish_of_sibling_names_sibling(
    home: Home, kid: Person, sibling: Person, rice: Shown
) -> None:
    await ask_for(sibling, rice)
    assert await card_text(kid, rice) == "Alva asked"
    assert await card_text(sibling, rice) == "You asked"
    assert led_to(await send(kid, "/wishes", itemId=rice["itemId"])) == BEFORE
    await ask_for(await home.with_member("Noah", "suggester"), rice)
    await ask_for(sibling, rice)
    assert await card_text(kid, rice) == "Alva, Noah asked"
    assert await card_text(sibling, rice) == "Noah asked too"
    assert await count_pending(kid) == 3


async def test_api_accepts_repeated_wishes(kid: Person, sibling: Person, rice: Shown) -> None:
    for who in (sibling, kid, kid):
        await ask_for(who, rice)
    assert await count_pending(kid) == 3
    assert await card_text(kid, rice) == "Alva asked too"


async def test_listed_item_cannot_be_wished_for(home: Home, kid: Person, rice: Shown) -> None:
    page = await look(kid, page_of(rice))
    entry = await add_entry(home.admin, itemId=rice["itemId"])
    assert await card_text(kid, rice) == "On the list"
    assert "On the list" in (await look(kid, page_of(rice))).words
    assert led_to(await page.send("/wishes")) == ON_LIST
    assert "already on the list" in (await look(kid, ON_LIST)).words
    assert await count_pending(kid) == 0
    await mark_entry(home.admin, entry, "purchased")
    assert await card_text(kid, rice) == ""
    assert led_to(await page.send("/wishes")) == ASKED


async def test_answered_wish_can_be_repeated(home: Home, kid: Person, rice: Shown) -> None:
    await reject(home.admin, await ask_for(kid, rice))
    assert await card_text(kid, rice) == ""
    assert led_to(await send(kid, "/wishes", itemId=rice["itemId"])) == ASKED
    (wish,) = (await kid.get("/suggestions?status=pending")).json()["suggestions"]
    await approve(home.admin, wish)
    assert await card_text(kid, rice) == "On the list"


async def test_wish_and_entry_of_similar_names_do_not_block(
    home: Home, kid: Person, rice: Shown
) -> None:
    oats = await add_item(home.admin, name="Oats")
    await ask_for(kid, rice)
    await add_entry(home.admin, name="Oat milk")
    assert await card_text(kid, oats) == ""
    assert led_to(await send(kid, "/wishes", itemId=oats["itemId"])) == ASKED


async def test_new_items_are_compared_by_name(
    home: Home, kid: Person, sibling: Person, rice: Shown
) -> None:
    await propose(sibling, "Crème brûlée")
    await ask_for(sibling, rice)
    await add_entry(home.admin, name="Candles")
    for name, led in (
        (" creme  BRULEE ", BEFORE),
        ("candles", ON_LIST),
        ("Crème", ASKED),
        ("Crème", BEFORE),
    ):
        assert led_to(await send(kid, "/wishes", name=name)) == led
    assert await count_pending(kid) == 3


async def test_entries_of_another_family_do_not_block_wishes(
    kid: Person, neighbour: Person, rice: Shown
) -> None:
    await add_entry(neighbour, name="Kite")
    theirs = await add_item(neighbour, name="Rice")
    await add_entry(neighbour, itemId=theirs["itemId"])
    assert await card_text(kid, rice) == ""
    assert led_to(await send(kid, "/wishes", name="Kite")) == ASKED


def test_wish_without_stored_name_is_from_someone() -> None:
    old = make_record(Suggestion, item_id="i1", suggested_by="m2", suggested_by_name=None)
    assert OpenRequests("m1", [old, old], []).item("i1").other_names == ("Someone",)
