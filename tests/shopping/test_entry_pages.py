"""Test the page of one list entry."""

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_purchased_entry,
    entry_page_path,
    get_entry,
    get_shopping_list,
    put_away,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home
from tests.pages import led_to, look, read, send


async def test_entry_page_shows_and_keeps_every_field(home: Home, market: Shown) -> None:
    entry = await add_entry(
        home.admin, name="Soap", quantity=3, storeId=market["storeId"], notes="the <green> one"
    )
    assert entry_page_path(entry) in (await look(home.admin, "/list")).links
    page = await look(home.admin, entry_page_path(entry))
    assert page.title == "Soap · Homeshelf"
    assert page.in_order("Soap", "Shop", "Any shop", "Market", "Added by ada, just now")
    fields = page.form(entry_page_path(entry)).fields
    assert (fields["name"], fields["quantity"]) == ("Soap", "3")
    assert (fields["storeId"], fields["notes"]) == (market["storeId"], "the <green> one")
    assert led_to(await page.send(entry_page_path(entry))) == "/list"
    assert await get_entry(home.admin, entry) == entry


async def test_entry_page_changes_and_clears_every_field(home: Home, market: Shown) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, entry_page_path(entry))
    answer = await page.send(
        entry_page_path(entry), name="Shampoo", quantity=2, storeId=market["storeId"], notes="mild"
    )
    assert led_to(answer) == "/list"
    now = await get_entry(home.admin, entry)
    assert (now["name"], now["quantity"], now["notes"]) == ("Shampoo", 2, "mild")
    assert now["storeId"] == market["storeId"]
    page = await look(home.admin, entry_page_path(entry))
    await page.send(entry_page_path(entry), quantity="", storeId="", notes="")
    now = await get_entry(home.admin, entry)
    assert (now["name"], now["quantity"], now["storeId"]) == ("Shampoo", None, None)
    assert not now["notes"]


@pytest.mark.parametrize(
    ("field", "wrong", "right"),
    [
        ("name", ("", "n" * 101), "n" * 100),
        ("quantity", ("0", "-1", "1.5", "many", "10000000000"), "9999999999"),
        ("notes", ("n" * 501,), "n" * 500),
    ],
)
async def test_invalid_value_is_refused_and_stays_in_its_field(
    home: Home, field: str, wrong: tuple[str, ...], right: str
) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, entry_page_path(entry))
    for text in wrong:
        refused = read(home.admin, await page.send(entry_page_path(entry), **{field: text}), 400)
        assert refused.form(entry_page_path(entry)).fields[field] == text
    assert await get_entry(home.admin, entry) == entry
    assert led_to(await page.send(entry_page_path(entry), **{field: right})) == "/list"


@pytest.mark.parametrize(
    ("store", "said"),
    [(NOBODYS, "There’s no such store."), ("market", "Choose one of your shops.")],
)
async def test_unknown_store_is_refused_and_typed_values_stay(
    home: Home, store: str, said: str
) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, entry_page_path(entry))
    typed = {"name": "Shampoo", "quantity": "2", "notes": "mild"}
    refused = read(home.admin, await page.send(entry_page_path(entry), storeId=store, **typed), 400)
    assert said in refused.words
    fields = refused.form(entry_page_path(entry)).fields
    assert {name: fields[name] for name in typed} == typed
    assert await get_entry(home.admin, entry) == entry
    assert led_to(await refused.send(entry_page_path(entry))) == "/list"
    now = await get_entry(home.admin, entry)
    assert (now["name"], now["quantity"], now["storeId"]) == ("Shampoo", 2, None)


async def test_form_refused_once_still_detects_conflicts(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, entry_page_path(entry))
    await page.send(entry_page_path(entry), notes="mild")
    refused = read(home.admin, await page.send(entry_page_path(entry), name=" "), 400)
    typed = {"name": "Shampoo", "notes": "sharp"}
    shown = read(home.admin, await refused.send(entry_page_path(entry), **typed), 400)
    assert shown.in_order("Someone else changed this", "Now: “mild”")
    assert "Now: “Soap”" not in shown.words
    fields = shown.form(entry_page_path(entry)).fields
    assert (fields["name"], fields["notes"]) == ("Shampoo", "sharp")
    assert (await get_entry(home.admin, entry))["notes"] == "mild"
    assert led_to(await shown.send(entry_page_path(entry))) == "/list"
    now = await get_entry(home.admin, entry)
    assert (now["name"], now["notes"]) == ("Shampoo", "sharp")


async def test_changes_of_different_fields_are_merged_without_a_question(
    home: Home, market: Shown
) -> None:
    entry = await add_entry(home.admin, name="Soap", notes="two\nlines")
    path = entry_page_path(entry)
    mine, theirs = await look(home.admin, path), await look(home.admin, path)
    assert mine.form(path).fields["quantity"] == "1"
    assert led_to(await theirs.send(path, quantity=5, storeId=market["storeId"])) == "/list"
    assert led_to(await mine.send(path, name="Shampoo")) == "/list"
    now = await get_entry(home.admin, entry)
    assert (now["name"], now["notes"]) == ("Shampoo", "two\nlines")
    assert (now["quantity"], now["storeId"]) == (5, market["storeId"])


async def test_tick_of_entry_edited_since_the_page_was_shown_counts(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    path, tick = entry_page_path(entry), entry_page_path(entry, "/tick")
    page = await look(home.admin, "/list")
    await (await look(home.admin, path)).send(path, notes="mild")
    assert led_to(await page.send(tick)) == "/list"
    now = await get_entry(home.admin, entry)
    assert (now["status"], now["notes"]) == ("purchased", "mild")
    page = await look(home.admin, "/list")
    await put_away(home.admin, now, withoutItem=True)
    assert led_to(await page.send(tick)) == "/list?said=meanwhile"
    assert (await get_entry(home.admin, entry))["status"] == "purchased"


async def test_conflict_page_shows_typed_and_current_values(
    home: Home,
) -> None:
    market = (await home.admin.post("/stores", {"name": "Market"})).json()["storeId"]
    entry = await add_entry(home.admin, name="Soap", quantity=2, notes="mild")
    page, other = (
        await look(home.admin, entry_page_path(entry)),
        {"name": "Shampoo", "quantity": "3", "storeId": market, "notes": ""},
    )
    assert led_to(await page.send(entry_page_path(entry), **other)) == "/list"
    typed = {"name": "Razors", "quantity": "", "storeId": "", "notes": "sharp"}
    shown = read(home.admin, await page.send(entry_page_path(entry), **typed), 400)
    now = ("Now: “Shampoo”", "Now: “3”", "Now: empty.")
    assert shown.in_order("Someone else changed this", *now)
    assert "Now: “Market”" not in shown.words
    fields = shown.form(entry_page_path(entry)).fields
    assert {name: fields[name] for name in typed} == typed | {"storeId": market}
    assert (await get_entry(home.admin, entry))["name"] == "Shampoo"
    assert led_to(await shown.send(entry_page_path(entry))) == "/list"
    assert (await get_entry(home.admin, entry))["name"] == "Razors"


async def test_same_change_sent_twice_is_saved_once(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, entry_page_path(entry))
    for _ in range(2):
        assert led_to(await page.send(entry_page_path(entry), name="Shampoo")) == "/list"
    assert (await get_entry(home.admin, entry))["version"] == 2


async def test_saving_deleted_entry_returns_404(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, entry_page_path(entry))
    await send(home.admin, entry_page_path(entry, "/delete"))
    assert (await page.send(entry_page_path(entry), name="Shampoo")).status_code == 404


async def test_deleted_entry_returns_404_for_every_form(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    assert led_to(await send(home.admin, entry_page_path(entry, "/delete"))) == "/list"
    assert await get_shopping_list(home.admin) == []
    await look(home.admin, entry_page_path(entry), 404)
    for more, fields in (
        ("", {"name": "Soap", "version": 1}),
        ("/tick", {"status": "purchased", "version": 1}),
        ("/put-away", {"version": 1}),
        ("/delete", {}),
    ):
        assert (await send(home.admin, entry_page_path(entry, more), **fields)).status_code == 404


async def test_entry_page_reads_stock_only_for_purchased_free_text(home: Home) -> None:
    waits = await add_entry(home.admin, name="Soap")
    await look(home.admin, entry_page_path(waits))
    with count_operations(home.running.db) as spent:
        await look(home.admin, entry_page_path(waits))
    there = await add_purchased_entry(home.admin, name="Salt")
    with count_operations(home.running.db) as asked:
        await look(home.admin, entry_page_path(there))
    assert asked["query"] == spent["query"] + 1
