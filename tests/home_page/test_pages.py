"""Test the content and order of the home page."""

import re

from tests.api_client import (
    add_entry,
    add_item,
    add_place,
    add_purchased_entry,
    adjust,
    get_shopping_list,
    put_away,
    set_archived,
    take_back,
)
from tests.home import Home
from tests.moment import Moment
from tests.pages import led_to, look
from tests.running import Person, RunningApp
from tests.suggestions.wish_requests import propose


async def test_visitor_sees_sign_up_link_and_no_stock(running: RunningApp) -> None:
    page = await look(running.visitor(), "/")
    assert "/sign-up" in page.links
    assert "Running low" not in page.words


async def test_low_items_are_sorted_by_count_and_name(home: Home) -> None:
    equal = ("salt", "Rice", "beans", "Yeast", "Flour")
    for name, quantity in (("Tea", 0), ("Oats", 1), ("Peas", 5), *((each, 2) for each in equal)):
        await add_item(home.admin, name=name, quantity=quantity, threshold=5)
    page = await look(home.admin, "/")
    by_name = ("beans", "Flour", "Rice", "salt", "Yeast")
    left = [f"{name} 2 left" for name in by_name]
    assert page.in_order("Running low", "Tea all gone", "Oats 1 left", *left, "At home")
    assert "Peas" not in page.words


async def test_home_page_shows_eight_low_items_and_links_to_all(home: Home) -> None:
    items = [
        await add_item(home.admin, name=f"Thing {number}", quantity=number, threshold=20)
        for number in range(8)
    ]
    page = await look(home.admin, "/")
    assert page.in_order("Thing 0", "Thing 7")
    assert "See all 8" not in page.words
    await add_item(home.admin, name="Thing 8", quantity=8, threshold=20)
    page = await look(home.admin, "/")
    assert page.in_order("See all 9", "Thing 0", "Thing 7")
    assert "Thing 8" not in page.words
    assert "/stock?show=low" in page.links
    assert f"/stock/{items[0]['itemId']}" in page.links


async def test_restocked_and_archived_items_are_not_low(home: Home) -> None:
    rice, oats = [
        await add_item(home.admin, name=name, quantity=1, threshold=2) for name in ("Rice", "Oats")
    ]
    await adjust(home.admin, rice, 1)
    await set_archived(home.admin, oats, "archive")
    page = await look(home.admin, "/")
    assert "Rice" not in page.words
    assert "Oats" not in page.words


async def test_add_button_adds_low_item_to_list_once(home: Home, kid: Person) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    path = f"/list/items/{rice['itemId']}?back=home"
    assert not (await look(kid, "/")).has_form(path)
    page = await look(home.admin, "/")
    assert page.in_order("Rice", "1 left", "Add to list")
    for _ in range(2):
        assert led_to(await page.send(path)) == "/"
    (entry,) = await get_shopping_list(home.admin)
    assert entry["itemId"] == rice["itemId"]
    page = await look(home.admin, "/")
    assert not page.has_form(path)
    assert page.in_order("Rice", "on the list")


async def test_purchased_item_is_offered_for_put_away_only(home: Home, kid: Person) -> None:
    rice, oats = [
        await add_item(home.admin, name=name, quantity=1, threshold=2) for name in ("Rice", "Oats")
    ]
    entry = await add_purchased_entry(home.admin, itemId=rice["itemId"])
    path = f"/list/items/{rice['itemId']}?back=home"
    page = await look(home.admin, "/")
    assert "1 item bought: put it away" in page.words
    assert page.in_order("Rice 1 left bought", "put it away", "Then your stock is up to date")
    assert not page.has_form(path)
    assert page.has_form(path.replace(rice["itemId"], oats["itemId"]))
    shop = await add_place(home.admin, "stores", "Market")
    await add_purchased_entry(home.admin, name="Cake", storeId=shop["storeId"])
    assert "2 items bought: put them away" in (await look(home.admin, "/")).words
    assert "bought:" not in (await look(kid, "/")).words
    away, _ = await put_away(home.admin, entry)
    assert "1 item bought" in (await look(home.admin, "/")).words
    await take_back(home.admin, away)
    assert "2 items bought" in (await look(home.admin, "/")).words


async def test_family_without_stock_has_no_put_away_hint(home: Home) -> None:
    await add_purchased_entry(home.admin, name="Cake")
    assert "bought" not in (await look(home.admin, "/")).words


async def test_low_item_with_purchased_and_pending_entry_is_on_the_list(home: Home) -> None:
    rice = await add_item(home.admin, name="Rice", quantity=0, threshold=2)
    await add_purchased_entry(home.admin, itemId=rice["itemId"])
    await add_entry(home.admin, itemId=rice["itemId"])
    assert (await look(home.admin, "/")).in_order("Rice", "all gone", "on the list")


async def test_home_page_names_stores_with_pending_entries(home: Home) -> None:
    assert "to buy" not in (await look(home.admin, "/")).words
    shops = {
        name: (await add_place(home.admin, "stores", name))["storeId"]
        for name in ("Market", "Bakery", "Kiosk", "Tailor", "Chemist", "Grocer")
    }
    await add_entry(home.admin, name="Milk", storeId=shops["Market"])
    await add_entry(home.admin, name="Eggs", storeId=shops["Market"])
    for shop in ("Bakery", "Tailor", "Chemist", "Grocer"):
        await add_entry(home.admin, name=f"From the {shop}", storeId=shops[shop])
    await add_entry(home.admin, name="Glue")
    await add_purchased_entry(home.admin, name="Paper", storeId=shops["Kiosk"])
    page = await look(home.admin, "/")
    assert page.in_order("7 items to buy", "Bakery, Chemist, Grocer, Market, Tailor")
    assert "Kiosk" not in page.words


async def test_admins_see_waiting_wishes_and_children_can_ask(home: Home, kid: Person) -> None:
    assert "for you" not in (await look(home.admin, "/")).words
    await propose(kid, "Kite")
    assert "1 wish is waiting" in (await look(home.admin, "/")).words
    await propose(kid, "Ball")
    assert "2 wishes are waiting" in (await look(home.admin, "/")).words
    theirs = await look(kid, "/")
    assert "Ask for something" in theirs.words
    assert "for you" not in theirs.words


async def test_home_page_names_current_members(home: Home, kid: Person, gone: Person) -> None:
    page = await look(home.admin, "/")
    assert page.in_order("At home", "ada")
    assert page.in_order("At home", kid.name)
    assert gone.name not in page.words.partition("At home")[2]


async def test_first_list_entries_are_grouped_by_store(home: Home, kid: Person) -> None:
    milk = await add_item(home.admin, name="Milk", picture="🐮")
    market, bakery = [
        (await add_place(home.admin, "stores", name))["storeId"] for name in ("Market", "bakery")
    ]
    await add_entry(home.admin, name="Glue")
    await add_entry(home.admin, itemId=milk["itemId"], storeId=market, quantity=3)
    await add_entry(home.admin, name="Rolls", storeId=bakery, quantity=1)
    await add_purchased_entry(home.admin, name="Paper", storeId=market)
    for person in (home.admin, kid):
        page = await look(person, "/")
        shown = ("3 items to buy", "bakery, Market", "Rolls bakery", "🐮 Milk Market 3", "Glue")
        assert page.in_order(*shown)
        assert "Rolls bakery 1" not in page.words
        assert "Paper" not in page.words


async def test_list_entries_are_shown_oldest_first(home: Home, moment: Moment) -> None:
    for name in ("Tea", "Apples", "Milk"):
        await add_entry(home.admin, name=name)
        moment.pass_by(1)
    assert (await look(home.admin, "/")).in_order("3 items to buy", "Tea", "Apples", "Milk")


async def test_home_page_shows_eight_list_entries_and_counts_all(home: Home) -> None:
    market = (await add_place(home.admin, "stores", "Market"))["storeId"]
    for number in range(12):
        await add_entry(home.admin, name=f"Jam {number}", storeId=market)
    await add_entry(home.admin, name="Glue")
    page = await look(home.admin, "/")
    assert "13 items to buy" in page.words
    assert page.words.count("Jam") == 8
    assert "Glue" not in page.words


async def test_three_latest_wishes_are_shown_with_suggester(home: Home, kid: Person) -> None:
    assert "No wishes right now." in (await look(home.admin, "/")).words
    for name in ("Kite", "Ball", "Rope", "Drum"):
        await propose(kid, name)
    for person in (home.admin, kid):
        page = await look(person, "/")
        assert page.in_order(*(f"{name} {kid.name}" for name in ("Drum", "Rope", "Ball")))
        assert "Kite" not in page.words
    assert "4 wishes are waiting" in (await look(home.admin, "/")).words


async def test_current_book_is_shown_to_its_reader_with_page_form(home: Home, kid: Person) -> None:
    book = {"title": "Emma", "status": "READING", "currentPage": 5, "totalPages": 100}
    emma = (await home.admin.post("/books", book)).json()
    page = await look(home.admin, "/")
    assert "Emma" in page.words
    assert led_to(await page.send(f"/books/{emma['id']}/page", page="7")) == "/"
    assert (await home.admin.get(f"/books/{emma['id']}")).json()["currentPage"] == 7
    assert re.search(r'<link rel="stylesheet" href="/static/[^"]+/reading\.css">', page.text)
    assert "Emma" not in (await look(kid, "/")).words
