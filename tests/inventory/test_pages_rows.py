"""Titles, rows and limits of the stock pages."""

import re
from datetime import timedelta

import pytest

from homeshelf import clock
from homeshelf.inventory.model import InventoryItem, QuantityChange
from tests.api_client import Shown, add_item, add_place, adjust, get_all_pages, set_archived
from tests.home import Home
from tests.pages import Page, look, see
from tests.records import make_record
from tests.running import Person
from tests.table.faulty_engines import warp

FIRST, FITS, CHARTED, TOLD = 100, 2000, 200, 50


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=1, threshold=3)


def path_of(item: Shown, more: str = "") -> str:
    return f"/stock/{item['itemId']}{more}"


async def test_each_page_has_its_own_title(home: Home, rice: Shown) -> None:
    for path, title, heading in (
        ("/stock", "Stock · Lovelace", "Stock"),
        ("/stock/new", "New item · Homeshelf", "New item"),
        (path_of(rice), "Rice · Homeshelf", "Rice"),
        (path_of(rice, "/edit"), "Rice · Homeshelf", "Rice"),
        (path_of(rice, "/delete"), "Delete Rice? · Homeshelf", "Delete Rice permanently?"),
    ):
        shown = await see(home.admin, path)
        assert f"<title>{title}</title>" in shown
        assert re.search(rf"<h1[^>]*>.*{re.escape(heading)}(</span>)?</h1>", shown)


async def test_form_has_submit_label_and_back_link(home: Home, rice: Shown) -> None:
    new = await look(home.admin, "/stock/new")
    assert new.in_order("Notes", "Add to stock", "Cancel")
    assert "/stock" in new.links
    known = await look(home.admin, path_of(rice, "/edit"))
    assert known.in_order("Notes", "Save", "Cancel")
    assert path_of(rice) in known.links


async def test_search_text_stays_in_field_and_links(home: Home, rice: Shown) -> None:
    for show in ("", "low", "archived"):
        page = await look(home.admin, f"/stock?q=ric&show={show}")
        assert page.form("/stock").fields == {"q": "ric"} | ({"show": show} if show else {})
        shown = await see(home.admin, f"/stock?show={show}")
        where = f"/stock?show={show}" if show else "/stock"
        chips = shown.partition('<nav class="chips chips-line"')[2].partition("</nav>")[0]
        assert chips.count("aria-current") == 1
        assert f'class="chip" href="{where}" aria-current="page"' in chips
    assert path_of(rice) in (await look(home.admin, "/stock?q=ric&show=low")).links


async def test_search_field_has_length_limit(home: Home) -> None:
    shown = await see(home.admin, "/stock")
    (most,) = re.findall(r'type="search"[^>]*maxlength="(\d+)"', shown)
    assert (await look(home.admin, f"/stock?q={'x' * int(most)}")).status == 200
    await see(home.admin, f"/stock?q={'x' * (int(most) + 1)}", 400)


async def test_row_has_item_id_and_location_anchor(home: Home) -> None:
    pantry = (await add_place(home.admin, "locations", "Pantry"))["locationId"]
    rice = await add_item(home.admin, name="Rice", locationId=pantry)
    await add_item(home.admin, name="Glue")
    shown = await see(home.admin, "/stock")
    assert f'<li id="{rice["itemId"]}" data-name="Rice">' in shown
    for place in (pantry, "somewhere"):
        assert f'aria-labelledby="kept-{place}"' in shown
        assert f'<h2 id="kept-{place}">' in shown


async def test_stepper_has_item_name_as_label(home: Home, kid: Person, rice: Shown) -> None:
    told = f'data-item="{rice["itemId"]}" data-count="1" data-version="{rice["version"]}"'
    for path in ("/stock", path_of(rice)):
        shown = await see(home.admin, path)
        assert told in shown
        assert 'data-label="Rice"' in shown
        assert 'aria-label="Rice"' in shown
        assert 'value="-1" aria-label="One less Rice">' in shown
        assert 'value="1" aria-label="One more Rice">' in shown
        assert "<output>1</output>" in shown
        assert '<span class="row-count">1</span>' in await see(kid, path)
    await adjust(home.admin, rice, -1)
    assert 'aria-label="One less Rice" disabled>' in await see(home.admin, "/stock")


async def test_quantity_bar_is_half_full_at_threshold_and_capped(home: Home) -> None:
    for quantity, width in ((1, "16.7"), (3, "50.0"), (9, "100")):
        item = await add_item(home.admin, name="Rice", quantity=quantity, threshold=3)
        row = (await see(home.admin, "/stock")).partition(f'<li id="{item["itemId"]}"')[2]
        bar = row.partition("</li>")[0]
        assert f'<rect width="{width}"' in bar
        assert ("level-low" in bar) == (quantity < 3)
    await add_item(home.admin, name="Salt")
    assert 'class="level' not in await see(home.admin, "/stock?q=salt")


async def test_low_filter_shows_count(home: Home, rice: Shown) -> None:
    assert (await look(home.admin, "/stock")).in_order("Everything", "Running low 1", "Archive")
    await adjust(home.admin, rice, 9)
    assert (await look(home.admin, "/stock")).in_order("Everything", "Running low Archived")


async def test_empty_stock_page_explains_itself(home: Home, kid: Person) -> None:
    for person, may in ((home.admin, True), (kid, False)):
        for show, words in (
            ("", "Your stock is empty"),
            ("low", "You have enough of everything"),
            ("archived", "No archived items"),
        ):
            assert words in (await look(person, f"/stock?show={show}")).words
        assert ("Add something" in (await look(person, "/stock")).words) == may
        sought = await look(person, "/stock?q=r%C3%ADce%26co")
        assert "No items found" in sought.words
        assert ("Add “ríce&co”" in sought.words) == may
        assert ("/stock/new?name=r%C3%ADce%26co" in sought.links) == may


def _item_links(page: Page) -> list[str]:
    return [link for link in page.links if link.startswith("/stock/i")]


def _linked_paths(text: str) -> list[str]:
    return re.findall(r'<a\b[^>]*href="(/stock/i[^"]*)"', text)


async def _add_items(home: Home, things: int) -> list[str]:
    """Add items and return their links in the order of the page."""
    pantry = await add_place(home.admin, "locations", "Pantry")
    items = [
        make_record(
            InventoryItem,
            family_id=home.family_id,
            item_id=f"i{number:04}",
            name=f"Rice {number:04}",
            quantity=things - number,
            location_id=pantry["locationId"] if number < things // 2 else None,
        )
        for number in range(things)
    ]
    await home.running.db.batch([item.put() for item in items])
    return [f"/stock/{item.item_id}" for item in items]


async def test_long_stock_is_loaded_in_chunks(home: Home) -> None:
    whole = await _add_items(home, FIRST)
    page = await look(home.admin, "/stock")
    assert _item_links(page) == whole
    assert " more" not in page.words
    added = await add_item(home.admin, name="Sugar")
    page = await look(home.admin, "/stock")
    assert _item_links(page) == whole
    assert page.in_order(f"Rice {FIRST - 1:04}", "1 more")
    further = f"/stock?rows={2 * FIRST}#i{FIRST - 1:04}"
    assert further in page.links
    page = await look(home.admin, further)
    assert f"/stock/{added['itemId']}" in page.links
    assert " more" not in page.words


async def test_next_chunk_keeps_the_query(home: Home) -> None:
    whole = await _add_items(home, 6)
    aside = make_record(
        InventoryItem,
        family_id=home.family_id,
        item_id="i0001",
        name="Rice 0001",
        status="archived",
    )
    await home.running.db.put(aside)
    page = await look(home.admin, "/stock?rows=2&q=RICE%20000&show=")
    assert _item_links(page) == [whole[0], whole[2]]
    assert page.in_order("Pantry", "Rice 0000", "Rice 0002", "3 more")
    assert 'id="kept-somewhere"' not in await see(home.admin, "/stock?rows=2")
    assert "/stock?rows=4&q=RICE+000#i0002" in page.links
    page = await look(home.admin, "/stock?rows=1&show=archived")
    assert _item_links(page) == [whole[1]]
    assert " more" not in page.words


async def test_chunks_are_ordered_by_location_and_name(home: Home) -> None:
    shed, attic = [await add_place(home.admin, "locations", name) for name in ("shed", "Attic")]
    kept = {"B": shed, "a": shed, "D": attic, "c": attic, "F": {"locationId": "gone"}, "e": {}}
    items = [
        make_record(
            InventoryItem,
            family_id=home.family_id,
            item_id=f"i{name}",
            name=f"Thing {name}",
            quantity=number,
            location_id=place.get("locationId"),
        )
        for number, (name, place) in enumerate(kept.items())
    ]
    await home.running.db.batch([item.put() for item in items])
    page = await look(home.admin, "/stock")
    assert _item_links(page) == [f"/stock/i{name}" for name in "cDaBeF"]
    assert page.in_order("Attic", "Thing c", "Thing D", "shed", "Thing a", "Thing B", "No place")
    page = await look(home.admin, "/stock?rows=3")
    assert _item_links(page) == [f"/stock/i{name}" for name in "cDa"]
    assert page.in_order("shed", "Thing a", "3 more")


async def test_unreadable_item_takes_no_row(home: Home) -> None:
    whole = await _add_items(home, 4)
    broken = InventoryItem.key(family_id=home.family_id, item_id="i0000")
    await warp(home.running.db, broken, quantity={"none": "of ours"})
    page = await look(home.admin, "/stock?rows=2")
    assert _item_links(page) == whole[1:3]
    assert page.in_order("Rice 0002", "1 more")
    assert _item_links(await look(home.admin, "/stock?rows=3")) == whole[1:]
    assert " more" not in (await look(home.admin, "/stock?rows=3")).words


@pytest.mark.parametrize("rows", ["0", "-1", "2001", "many"])
async def test_rows_parameter_is_limited(home: Home, rows: str) -> None:
    await look(home.admin, f"/stock?rows={rows}", 400)


async def test_truncated_stock_shows_a_note(home: Home) -> None:
    """The page is searched as text, because parsing 2,000 rows takes seconds."""
    said, whole = "There are more.", await _add_items(home, FITS)
    page = await see(home.admin, f"/stock?rows={FITS}")
    assert _linked_paths(page) == whole
    assert said not in page
    await add_item(home.admin, name="Sugar", quantity=FITS + 1)
    page = await see(home.admin, f"/stock?rows={FITS}")
    assert said in page
    assert _linked_paths(page) == whole
    assert said not in await see(home.admin, "/stock?rows=1999")


async def test_prefilled_name_is_cut_to_limit(home: Home) -> None:
    page = await look(home.admin, f"/stock/new?name={'n' * 101}")
    assert page.form("/stock/new").fields["name"] == "n" * 100


async def test_single_count_has_no_chart(home: Home, rice: Shown) -> None:
    assert 'role="img"' not in await see(home.admin, path_of(rice))
    await adjust(home.admin, rice, 4)
    await adjust(home.admin, rice, -2)
    shown = await see(home.admin, path_of(rice))
    assert 'role="img" aria-label="Count of Rice over time: 1 at first, 3 now"' in shown
    assert "Alert below 3." in shown


async def test_long_history_is_truncated_in_chart_and_table(home: Home) -> None:
    item = await add_item(home.admin, name="Rice", quantity=9)
    (begun,) = await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 10)
    records = [
        make_record(
            QuantityChange,
            family_id=home.family_id,
            item_id=item["itemId"],
            id=f"{number:03}",
            at=clock.timestamp(clock.now() - timedelta(hours=number)),
            source="adjust",
            quantity=1000 + number,
            ttl=clock.seconds() + 1000,
        )
        for number in range(1, CHARTED + 1)
    ]
    await home.running.db.batch([record.put() for record in records])
    shown = await see(home.admin, path_of(item))
    assert f"{1000 + CHARTED - 1:,} at first, 9 now" in shown
    assert shown.partition("<tbody>")[2].partition("</tbody>")[0].count("<tr>") == TOLD
    assert begun["quantity"] == 9


async def test_item_page_stops_tag(home: Home, kid: Person, rice: Shown) -> None:
    made = [
        (await home.admin.post(f"/items/{rice['itemId']}/nfc-urls", body)).json()
        for body in ({"label": "On the jar"}, {})
    ]
    page = await look(home.admin, path_of(rice))
    stops = ("Not used yet", "Turn off", "The tag stops working right away", "Turn off for good")
    assert page.in_order("Unnamed tag", *stops, "On the jar", *stops)
    assert "Manage tags" in page.words
    shown = await see(home.admin, path_of(rice))
    mark = page.form(path_of(rice, "/tags/stop")).fields["tag"]
    assert f'<li id="tag-{mark}">' in shown
    assert not any(each["urlId"] in shown for each in made)
    assert (await page.send(path_of(rice, "/tags/stop"))).status_code == 303
    left = await look(home.admin, path_of(rice))
    assert "Unnamed tag" not in left.words
    assert "On the jar" in left.words
    assert "On the jar" not in (await look(kid, path_of(rice))).words


async def test_item_page_without_tags_offers_one(home: Home, rice: Shown) -> None:
    page = await look(home.admin, path_of(rice))
    assert "Create a tag" in page.words
    assert path_of(rice, "/tags") in page.links


async def test_archived_item_page_offers_delete_and_unarchive(home: Home, rice: Shown) -> None:
    assert "out of the way" not in await see(home.admin, path_of(rice, "/delete"))
    await set_archived(home.admin, rice, "archive")
    asked = await see(home.admin, path_of(rice, "/delete"))
    assert "Archived items are out of the way, and you can bring them back any time." in asked
    assert f'href="{path_of(rice)}">Cancel' in asked
