"""Test the list page: groups, questions and conflicts."""

import json
import re
from html import unescape

import httpx
import pytest

from homeshelf.inventory import store as inventory
from homeshelf.shopping import store
from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_place,
    add_purchased_entry,
    adjust,
    entry_page_path,
    get_entry,
    get_shopping_list,
    mark_entry,
    nothing_changes,
    set_archived,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home
from tests.moment import Moment
from tests.pages import OURS, led_to, look, read, see, send, sent_from_elsewhere
from tests.running import Person
from tests.table.faulty_engines import warp

CONFLICT_PATH = "/list?said=meanwhile"


async def test_entries_are_grouped_by_store_in_order_of_creation(home: Home, market: Shown) -> None:
    bakery = await add_place(home.admin, "stores", "bakery")
    await add_entry(home.admin, name="Glue")
    await add_entry(home.admin, name="Milk", storeId=market["storeId"], notes="the green one")
    await add_entry(home.admin, name="Buns", storeId=bakery["storeId"], quantity=6)
    await add_entry(home.admin, name="Cheese", storeId=market["storeId"], quantity=1)
    page = await look(home.admin, "/list")
    assert page.in_order(
        "bakery", "Buns 6", "Market", "Milk the green one", "Cheese", "Any shop", "Glue"
    )
    assert "Cheese 1" not in page.words


async def test_empty_list_names_family_and_explains_itself(home: Home, kid: Person) -> None:
    mine, theirs = await look(home.admin, "/list"), await look(kid, "/list")
    assert mine.title == theirs.title == "List · Lovelace"
    assert mine.in_order("Nothing to buy", "Add what you need")
    assert theirs.in_order("Nothing to buy", "Anything missing? Ask for it.")
    assert "Add what you need" not in theirs.words


async def test_buttons_of_entry_sheet_have_labels(home: Home) -> None:
    shown = await see(home.admin, "/list")
    for named in ("Move up", "Move down"):
        assert f'aria-label="{named}"' in shown
    assert '<button class="button" type="button">Review</button>' in shown


async def test_list_page_has_data_attributes_for_its_script(home: Home, market: Shown) -> None:
    at = market["storeId"]
    milk = await add_entry(home.admin, name="Milk", storeId=at)
    glue = await add_purchased_entry(home.admin, name="Glue")
    shown = await see(home.admin, f"/list?at={at}")
    pending = f'id="{milk["shoppingItemId"]}" data-version="1" data-store="{at}"'
    done = f'id="{glue["shoppingItemId"]}" data-version="2" data-store=""'
    for told in (
        f'<section class="list-group" data-store="{at}"',
        f'<li class="entry" {pending} data-status="pending" data-name="Milk">',
        f'<li class="entry entry-done" {done} data-status="purchased" data-name="Glue">',
        f'href="/s/from-list?at={at}"',
        '<span class="visually-hidden waits">not sent yet</span>',
    ):
        assert told in shown
    assert 'href="/s/from-list"' in await see(home.admin, "/list")
    for path in ("/list", f"/list?at={at}", entry_page_path(milk), entry_page_path(glue)):
        assert not (await look(home.admin, path)).lost


async def test_unreadable_item_does_not_hide_list_entries(home: Home, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"])
    await add_entry(home.admin, name="Soap")
    key = inventory.key_of(home.family_id, milk["itemId"])
    await warp(home.running.db, key, quantity="many")
    assert (await look(home.admin, "/list")).in_order("Soap", "Bought", "Milk")
    assert "Milk" in (await look(home.admin, entry_page_path(entry))).words


async def test_list_of_store_omits_entries_of_other_stores(home: Home, market: Shown) -> None:
    bakery = await add_place(home.admin, "stores", "Bakery")
    await add_entry(home.admin, name="Glue")
    await add_entry(home.admin, name="Milk", storeId=market["storeId"])
    await add_entry(home.admin, name="Buns", storeId=bakery["storeId"])
    everything = await look(home.admin, "/list")
    assert f"/list?at={market['storeId']}" in everything.links
    page = await look(home.admin, f"/list?at={market['storeId']}")
    assert page.in_order("Milk", "Glue")
    assert "Buns" not in page.words
    assert page.form("/list/add").fields["storeId"] == market["storeId"]
    for unknown in (NOBODYS, "nonsense"):
        page = await look(home.admin, f"/list?at={unknown}")
        assert page.in_order("Buns", "Milk", "Glue")
        assert page.form("/list/add").fields["storeId"] == ""


async def test_entry_with_missing_store_is_listed_under_any_shop(home: Home, market: Shown) -> None:
    await add_entry(home.admin, name="Milk", storeId=market["storeId"])
    glue = await add_entry(home.admin, name="Glue")
    key = store.key_of(home.family_id, glue["shoppingItemId"])
    await home.running.db.change(key, lambda old: old.changed(store_id=NOBODYS))
    assert (await look(home.admin, "/list")).in_order("Market", "Milk", "Any shop", "Glue")


async def test_purchased_entries_come_last_and_newest_first(home: Home, moment: Moment) -> None:
    for name in ("Milk", "Bread", "Glue"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(1)
    await add_entry(home.admin, name="Soap")
    page = await look(home.admin, "/list")
    assert page.in_order("Soap", "Bought", "3", "Glue", "Bread", "Milk")
    assert "Nothing to buy" in page.words  # the element exists and is hidden


async def test_entry_typed_at_a_store_gets_that_store(home: Home, market: Shown) -> None:
    page = await look(home.admin, f"/list?at={market['storeId']}")
    assert led_to(await page.send("/list/add", text="2 soap")) == f"/list?at={market['storeId']}"
    (entry,) = await get_shopping_list(home.admin)
    assert (entry["name"], entry["quantity"]) == ("soap", 2)
    assert entry["storeId"] == market["storeId"]


async def test_typed_name_is_linked_to_item(home: Home, milk: Shown) -> None:
    await send(home.admin, "/list/add", text="3 mILK")
    (entry,) = await get_shopping_list(home.admin)
    assert (entry["itemId"], entry["name"]) == (milk["itemId"], "Milk")
    assert (entry["quantity"], entry["storeId"]) == (3, milk["preferredStoreId"])


async def test_typed_duplicate_is_added_after_confirmation(home: Home, milk: Shown) -> None:
    other = await add_place(home.admin, "stores", "Other")
    await add_entry(home.admin, itemId=milk["itemId"], quantity=7, notes="the green one")
    page = await look(home.admin, f"/list?at={other['storeId']}")
    answer = await page.send("/list/add", text="2 milk")
    question = read(home.admin, answer, 409)
    assert "Milk is already on the list. Add another?" in question.words
    assert question.in_order(" 7", "the green one")
    assert len(await get_shopping_list(home.admin)) == 1
    assert f"/list?at={other['storeId']}" in question.links
    assert led_to(await question.send("/list/add")) == f"/list?at={other['storeId']}"
    first, second = sorted(await get_shopping_list(home.admin), key=lambda each: -each["quantity"])
    assert (first["quantity"], second["quantity"]) == (7, 2)
    assert (second["itemId"], second["storeId"]) == (milk["itemId"], other["storeId"])


async def test_confirmed_duplicate_takes_store_of_its_item(home: Home, milk: Shown) -> None:
    await add_entry(home.admin, itemId=milk["itemId"])
    answer = await (await look(home.admin, "/list")).send("/list/add", text="milk")
    question = read(home.admin, answer, 409)
    assert question.form("/list/add").fields == {
        "text": "milk", "storeId": "", "itemId": milk["itemId"], "force": "1"
    }  # fmt: skip
    assert led_to(await question.send("/list/add")) == "/list"
    stores = [entry["storeId"] for entry in await get_shopping_list(home.admin)]
    assert stores == [milk["preferredStoreId"]] * 2


async def test_unknown_store_or_item_is_refused_and_typed_text_stays(
    home: Home, milk: Shown
) -> None:
    async with nothing_changes(home):
        for field, said in (("storeId", "no such store"), ("itemId", "no such item")):
            answer = await send(home.admin, "/list/add", text="soap", **{field: NOBODYS})
            refused = read(home.admin, answer, 400)
            assert said in refused.words
            assert refused.form("/list/add").fields == {"storeId": "", "text": "soap"}
        answer = await send(home.admin, "/list/add", text="soap", storeId="nonsense")
        assert "Choose one of your shops." in read(home.admin, answer, 400).words
        answer = await send(home.admin, "/list/add", text="soap", itemId="nonsense")
        assert "isn’t in your stock" in read(home.admin, answer, 400).words
    await set_archived(home.admin, milk, "archive")
    answer = await send(home.admin, "/list/add", text="milk", itemId=milk["itemId"])
    assert answer.status_code == 422
    assert await get_shopping_list(home.admin) == []


@pytest.mark.parametrize(("back", "where"), [("home", "/"), ("list", "/list"), ("", None)])
async def test_add_form_of_item_adds_one_entry_and_leads_back(
    home: Home, milk: Shown, back: str, where: str | None
) -> None:
    path = f"/list/items/{milk['itemId']}"
    for _ in range(2):
        answer = await send(home.admin, f"{path}?back={back}")
        assert led_to(answer) == (where or f"/stock/{milk['itemId']}")
    (entry,) = await get_shopping_list(home.admin)
    assert (entry["itemId"], entry["quantity"]) == (milk["itemId"], None)
    assert (await send(home.admin, f"/list/items/{NOBODYS}")).status_code == 404


async def test_tick_form_marks_entry_purchased(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    page = await look(home.admin, "/list")
    assert led_to(await page.send(entry_page_path(entry, "/tick"))) == "/list"
    assert (await get_entry(home.admin, entry))["status"] == "purchased"
    assert led_to(await page.send(entry_page_path(entry, "/tick"))) == CONFLICT_PATH
    assert "Someone was faster" in (await look(home.admin, CONFLICT_PATH)).words
    page = await look(home.admin, "/list")
    assert led_to(await page.send(entry_page_path(entry, "/tick"))) == "/list"
    assert (await get_entry(home.admin, entry))["status"] == "pending"


async def test_tick_and_edit_forms_lead_back_to_list_of_store(home: Home, market: Shown) -> None:
    entry = await add_entry(home.admin, name="Soap", storeId=market["storeId"])
    here, there = f"?at={market['storeId']}", f"/list?at={market['storeId']}"
    page = await look(home.admin, there)
    tick, change = entry_page_path(entry, f"/tick{here}"), entry_page_path(entry, here)
    assert led_to(await page.send(tick)) == there
    assert led_to(await page.send(tick)) == f"{there}&said=meanwhile"
    assert led_to(await send(home.admin, tick, status="eaten")) == there
    assert change in page.links
    form = await look(home.admin, change)
    assert there in form.links
    assert led_to(await form.send(change, name="Soap bars")) == there
    changed = read(home.admin, await form.send(change, name="Shampoo"), 400)
    assert "else changed this" in changed.words
    assert led_to(await changed.send(change, name="Shampoo")) == there
    refused = read(home.admin, await form.send(change, name=""), 400)
    (delete,) = [
        str(each["formaction"]) for each in refused.form(change).buttons if "formaction" in each
    ]
    assert delete == entry_page_path(entry, f"/delete{here}")
    assert led_to(await send(home.admin, delete)) == there


@pytest.mark.parametrize("at", ["a&b=c", "\u00fc \n#", '"><p>'])
async def test_link_back_leads_to_list_for_any_store_parameter(home: Home, at: str) -> None:
    entry = await add_entry(home.admin, name="Soap")
    here = str(httpx.QueryParams({"at": at}))
    page = await look(home.admin, entry_page_path(entry, f"?{here}"))
    answer = await page.send(entry_page_path(entry, f"?{here}"))
    assert httpx.URL(led_to(answer)).path == "/list"
    assert dict(httpx.URL(led_to(answer)).params) == {"at": at}


async def test_tick_form_without_status_changes_nothing(home: Home) -> None:
    entry = await add_entry(home.admin, name="Soap")
    nonsense: list[dict[str, object]] = [
        {"status": "eaten", "version": 1},
        {"status": "purchased"},
    ]
    for wrong in nonsense:
        assert led_to(await send(home.admin, entry_page_path(entry, "/tick"), **wrong)) == "/list"
    assert await get_entry(home.admin, entry) == entry


async def test_child_sees_list_without_forms(home: Home, kid: Person, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], notes="the green one")
    await add_entry(home.admin, name="Soap", quantity=2, notes="mild")
    page = await look(kid, "/list")
    assert page.in_order("Soap 2", "mild", "Milk", "the green one")
    for more in ("/tick", "/put-away"):
        assert not page.has_form(entry_page_path(entry, more))
    assert not page.has_form("/list/put-away-all")
    async with nothing_changes(home):
        for path in (
            entry_page_path(entry),
            entry_page_path(entry, "/tick"),
            entry_page_path(entry, "/put-away"),
            entry_page_path(entry, "/delete"),
            "/list/put-away-all",
            f"/list/items/{milk['itemId']}",
        ):
            answer = await send(kid, path, name="Mine", status="pending", version=2)
            assert answer.status_code == 403
    await look(kid, entry_page_path(entry), 403)


async def test_names_of_list_and_active_stock_are_suggested(home: Home, milk: Shown) -> None:
    await add_purchased_entry(home.admin, name="Soap")
    await set_archived(home.admin, await add_item(home.admin, name="Old"), "archive")
    known = {each["name"]: each["itemId"] for each in (await snapshot_of_page(home))["known"]}
    assert known == {"Milk": milk["itemId"], "Soap": None}


async def test_list_page_contains_the_snapshot(home: Home) -> None:
    await add_entry(home.admin, name="Jam & 'ham' <now>")
    now = (await home.admin.client.get("/list/now", headers=OURS)).json()
    assert {**await snapshot_of_page(home), "at": ""} == {**now, "at": ""}


async def snapshot_of_page(home: Home) -> Shown:
    page = (await home.admin.client.get("/list", headers=OURS)).text
    told = re.search(r"<shopping-list data-now='([^']*)'", page)
    assert told
    found: Shown = json.loads(unescape(told[1]))
    return found


async def test_forms_of_other_pages_are_refused(home: Home, milk: Shown) -> None:
    entry = await mark_entry(home.admin, await add_entry(home.admin, name="Soap"), "purchased")
    await adjust(home.admin, milk, 1)
    for path in (
        "/list/add",
        "/list/put-away-all",
        f"/list/items/{milk['itemId']}",
        entry_page_path(entry),
        entry_page_path(entry, "/tick"),
        entry_page_path(entry, "/put-away"),
        entry_page_path(entry, "/delete"),
    ):
        assert await sent_from_elsewhere(home.admin, path) == 403
    assert await get_shopping_list(home.admin) == [entry]


async def test_list_page_reads_the_list_once(home: Home) -> None:
    await add_entry(home.admin, name="Soap")
    await look(home.admin, "/list")
    with count_operations(home.running.db) as spent:
        page = await look(home.admin, "/list")
    assert "Soap" in page.words
    places_stock_habits_and_what_else_waits = 7
    assert spent["query"] == places_stock_habits_and_what_else_waits + 1
