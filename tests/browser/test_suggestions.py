"""Suggestions: a child asks and a parent decides, on two phones."""

from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home, create_home
from tests.browser.visitor import KeyboardVisitor, Visitors

TO_LIST = "Also add it to the list"
NEW = {"type": "create_item", "proposedItemName": "Kite"}


async def test_child_suggests_with_two_taps_and_sees_the_answers(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.item("Cereal", 1, 0)
    emma = home.child(f"Emma-{unique_name}")
    parent, child = await home.phone(visitors), await home.phone(visitors, emma)
    await parent.go("/wishes")
    await parent.sees("No wishes right now")
    await child.go("/wishes")
    await child.press("Cereal")
    await child.press("We need this!")
    await child.sees("Asked! You’ll see the answer here.")
    await expect(parent.page.get_by_role("heading", name="Cereal")).to_be_visible()

    await parent.press("Yes")
    await expect(child.page.get_by_text("Yes!")).to_be_visible()
    await child.sees(f"{home.admin.name} said yes. It’s on the list.")
    badge = child.page.locator("a[href='/'] live-badge")
    await expect(badge).to_have_text("1")
    assert [entry["name"] for entry in home.admin.ask("GET", "/shopping-list")["items"]] == [
        "Cereal"
    ]

    await child.press("New item")
    await child.write("What is it called?", "Candy")
    await child.press("Ask")
    await expect(parent.page.get_by_role("heading", name="Candy")).to_be_visible()
    await parent.write("Reason (if no)", "We have enough sweets")
    candy = parent.page.get_by_role("heading", name="Candy")
    await parent.press("Not this time")
    await parent.sees("Said no to Candy.")
    await expect(candy).to_be_hidden()
    home.admin.ask("POST", "/shopping-list", {"name": "Tea"})  # the cards are updated meanwhile
    await expect(parent.page.locator("a[href='/list'] live-badge")).to_have_text("2")
    await parent.press("Undo")
    await expect(candy).to_be_visible()
    await parent.press("Not this time")
    await parent.sees("Said no to Candy.")
    assert waiting_wishes(home) == ["Candy"]
    await parent.go("/")  # it is sent when the page closes
    await expect(child.page.get_by_text("We have enough sweets")).to_be_visible()
    await expect(badge).to_have_text("2")
    await child.go("/")
    await child.press("OK")
    await child.is_at("/")
    await child.sees("Yes!")
    await child.press("Hooray!")
    await child.reads_above_all(f"Hello {emma.name}")
    await expect(badge).to_be_hidden()


async def test_suggestion_for_archived_item_can_only_be_declined(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item("Soda", 1, 0)
    emma = home.child(f"Emma-{unique_name}")
    emma.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": item_id})
    parent = await home.phone(visitors)
    await parent.go("/wishes")
    await parent.field("Reason (if no)").focus()  # stops live updates of the page
    home.admin.ask("POST", f"/items/{item_id}/archive")
    await parent.press("Yes")
    await parent.sees("That’s no longer in your stock. You can still say no.")
    await parent.press("Not this time")
    await parent.sees("No wishes right now")  # the toast is gone
    assert waiting_wishes(home) == []


async def test_child_can_suggest_without_scripts(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.item("Bananas", 1, 0)
    emma = home.child(f"Emma-{unique_name}")
    child = await home.phone(visitors, emma, script=False)
    await child.go("/wishes")
    await child.press("Bananas")
    await child.reads_above_all("Bananas")
    await child.press("We need this!")
    await child.sees("Asked just now, waiting for an answer")
    await child.sees("You asked")
    await child.write("Search", "Kite")
    await child.press("Search")
    await child.press("New item: Kite")
    await expect(child.field("What is it called?")).to_have_value("Kite")
    await child.press("Ask")
    wishes = home.admin.ask("GET", "/suggestions")["suggestions"]
    assert [each["proposedItemName"] for each in wishes] == ["Kite", None]
    home.admin.ask("POST", f"/suggestions/{wishes[0]['suggestionId']}/approve", {"version": 1})
    await child.go("/wishes")
    await child.sees(f"{home.admin.name} said yes. It’s in the stock.")
    await child.press("Hooray!")
    await expect(child.found("Hooray!")).to_have_count(0)
    await child.sees("Kite")


async def test_parent_approves_new_item_without_scripts(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    emma = home.child(f"Emma-{unique_name}")
    emma.ask("POST", "/suggestions", NEW)
    parent = await home.phone(visitors, script=False)
    await parent.go("/wishes")
    await expect(parent.page.get_by_label(TO_LIST)).to_be_checked()
    await parent.press("Yes")
    await parent.sees("Done. Kite is on the list.")
    assert listed_names(home) == ["Kite"]
    await parent.press("Remove from list")
    await parent.sees("Kite is off the list again. It’s still in your stock.")
    assert listed_names(home) == []
    await parent.press("Add to list")
    await parent.sees("Done. Kite is on the list.")
    assert listed_names(home) == ["Kite"]


async def test_approval_links_to_its_result_and_shows_notice(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    emma = home.child(f"Emma-{unique_name}")
    parent, child = await home.phone(visitors), await home.phone(visitors, emma)
    await child.go("/wishes")
    emma.ask("POST", "/suggestions", NEW)
    await parent.go("/wishes")
    await parent.press("Yes")
    await parent.sees("Done. Kite is on the list.")
    await child.sees(f"{home.admin.name} said yes. It’s on the list.")
    assert listed_names(home) == ["Kite"]
    emma.ask("POST", "/suggestions", {**NEW, "proposedItemName": "Ball"})
    await expect(parent.page.get_by_role("heading", name="Ball")).to_be_visible()
    await parent.sees("Done. Kite is on the list.")
    await parent.page.reload()
    await parent.sees("Done. Kite is on the list.")
    await parent.press("Remove from list")
    await parent.sees("Kite is off the list again. It’s still in your stock.")
    await child.sees(f"{home.admin.name} said yes. It’s in the stock.")
    await parent.page.get_by_label(TO_LIST).uncheck()
    await parent.press("Yes")
    await parent.sees("Done. It’s in your stock.")
    assert listed_names(home) == []


async def test_child_search_finds_pictures_or_offers_new_item(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    bananas, cereal = home.item("Bananas", 1, 0), home.item("Céréales", 1, 0)
    child = await home.phone(visitors, home.child(f"Emma-{unique_name}"), kind=KeyboardVisitor)
    await child.go("/wishes")
    await child.write("Search", "cerea")
    await expect(child.page.locator(f"[id='{cereal}']")).to_be_visible()
    await expect(child.page.locator(f"[id='{bananas}']")).to_be_hidden()
    await expect(child.found("New item")).to_be_visible()
    oats = home.item("Oats", 1, 0)
    await expect(child.page.locator(f"[id='{oats}']")).to_have_count(1)
    await expect(child.page.locator(f"[id='{oats}']")).to_be_hidden()
    await child.write("Search", "Dragon fruit")
    await child.press("New item: Dragon fruit")
    await expect(child.field("What is it called?")).to_have_value("Dragon fruit")
    await child.press("Ask")
    await child.sees("Asked! You’ll see the answer here.")
    (wish,) = home.admin.ask("GET", "/suggestions")["suggestions"]
    assert wish["proposedItemName"] == "Dragon fruit"


async def test_search_asks_server_if_page_shows_only_some_items(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    for name in ("Bananas", "Oats"):
        home.item(name, 1, 0)
    child = await home.phone(visitors, home.child(f"Emma-{unique_name}"))
    await child.go("/wishes?q=banan")
    await child.sees("Bananas")
    await child.sees_nothing_of("Oats")
    await child.write("Search", "oat")
    await child.sees("Oats")
    await expect(child.page.locator("live-region#cards")).to_have_attribute(
        "data-from", "/wishes?q=oat"
    )
    await child.write("Search", "")
    await child.sees("Bananas")
    await child.sees("Oats")


async def test_siblings_suggestion_appears_live_and_is_not_repeated(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    cereal = home.item("Cereal", 1, 0)
    emma, noah = home.child(f"Emma-{unique_name}"), home.child(f"Noah-{unique_name}")
    one, other = await home.phone(visitors, emma), await home.phone(visitors, noah)
    for phone in (one, other):
        await phone.go("/wishes")
    await other.press("Cereal")  # the sheet is open while the other child asks
    await one.press("Cereal")
    await one.press("We need this!")
    await one.sees("You asked")
    await other.press("We need this!")
    await other.sees("You’ve already asked for that.")
    await other.sees(f"{emma.name} asked")
    await expect(other.page.get_by_role("link", name="Cereal")).to_have_count(0)
    home.admin.ask("POST", "/shopping-list", {"itemId": cereal})
    await other.sees("On the list")
    assert len(home.admin.ask("GET", "/suggestions")["suggestions"]) == 1


def listed_names(home: Home) -> list[str]:
    return [entry["name"] for entry in home.admin.ask("GET", "/shopping-list")["items"]]


def waiting_wishes(home: Home) -> list[str]:
    found = home.admin.ask("GET", "/suggestions?status=pending")["suggestions"]
    return [each["proposedItemName"] or each["itemNameSnapshot"] for each in found]
