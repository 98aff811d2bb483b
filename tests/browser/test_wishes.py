"""A child asks and a parent decides, on two phones at once."""

from playwright.async_api import expect

from tests.browser.home import Home, found_home
from tests.browser.lindqvists import Lindqvists
from tests.browser.visitor import Visitors

TO_LIST = "With a yes, put it on the list"
NEW = {"type": "create_item", "proposedItemName": "Kite"}


async def test_a_child_asks_with_two_taps_and_hears_yes_and_no(
    visitors: Visitors, household: Lindqvists, fresh: str
) -> None:
    home = found_home(household, fresh)
    home.item("Cereal", 1, 0)
    emma = home.child(f"Emma-{fresh}")
    parent, child = await home.phone(visitors), await home.phone(visitors, emma)
    await parent.go("/wishes")
    await parent.sees("Nobody has asked for anything")
    await child.go("/wishes")
    await child.press("Cereal")
    await child.press("We need this!")
    await child.sees("Asked! You will see here what becomes of it.")
    await expect(parent.page.get_by_role("heading", name="Cereal")).to_be_visible()

    await parent.press("Yes")
    await expect(child.page.get_by_text("Yes!")).to_be_visible()
    assert [entry["name"] for entry in home.admin.ask("GET", "/shopping-list")["items"]] == [
        "Cereal"
    ]

    await child.write("What is it called?", "Candy")
    await child.press("Ask for it")
    await expect(parent.page.get_by_role("heading", name="Candy")).to_be_visible()
    await parent.write("A reason, if it is a no", "We have enough sweets")
    await parent.press("Not this time")
    await expect(child.page.get_by_text("We have enough sweets")).to_be_visible()


async def test_what_was_put_aside_meanwhile_can_only_be_declined(
    visitors: Visitors, household: Lindqvists, fresh: str
) -> None:
    home = found_home(household, fresh)
    item_id = home.item("Soda", 1, 0)
    emma = home.child(f"Emma-{fresh}")
    emma.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": item_id})
    parent = await home.phone(visitors)
    await parent.go("/wishes")
    await parent.field("A reason, if it is a no").focus()  # so that the page does not follow
    home.admin.ask("POST", f"/items/{item_id}/archive")
    await parent.press("Yes")
    await parent.sees("That is not in the stock any more. You can still say no.")
    await parent.press("Not this time")
    await parent.sees("Nobody has asked for anything")


async def test_a_child_needs_no_scripts_to_ask(
    visitors: Visitors, household: Lindqvists, fresh: str
) -> None:
    home = found_home(household, fresh)
    home.item("Bananas", 1, 0)
    emma = home.child(f"Emma-{fresh}")
    child = await home.phone(visitors, emma, script=False)
    await child.go("/wishes")
    await child.press("Bananas")
    await child.reads_above_all("Bananas")
    await child.press("We need this!")
    await child.sees("Waiting, asked just now")


async def test_a_parent_needs_no_scripts_to_put_something_new_on_the_list(
    visitors: Visitors, household: Lindqvists, fresh: str
) -> None:
    home = found_home(household, fresh)
    emma = home.child(f"Emma-{fresh}")
    emma.ask("POST", "/suggestions", NEW)
    parent = await home.phone(visitors, script=False)
    await parent.go("/wishes")
    await expect(parent.page.get_by_label(TO_LIST)).to_be_checked()
    await parent.press("Yes")
    await parent.sees("Done. Kite is on the list.")
    assert listed(home) == ["Kite"]
    await parent.press("Take it off the list again")
    await parent.sees("Kite is off the list again. It is still in the stock.")
    assert listed(home) == []
    await parent.press("Put it on the list")
    await parent.sees("Done. Kite is on the list.")
    assert listed(home) == ["Kite"]


async def test_a_yes_leads_somewhere_and_the_notice_of_it_stays(
    visitors: Visitors, household: Lindqvists, fresh: str
) -> None:
    home = found_home(household, fresh)
    emma = home.child(f"Emma-{fresh}")
    parent = await home.phone(visitors)
    emma.ask("POST", "/suggestions", NEW)
    await parent.go("/wishes")
    await parent.press("Yes")
    await parent.sees("Done. Kite is on the list.")
    assert listed(home) == ["Kite"]
    emma.ask("POST", "/suggestions", {**NEW, "proposedItemName": "Ball"})
    await expect(parent.page.get_by_role("heading", name="Ball")).to_be_visible()
    await parent.sees("Done. Kite is on the list.")
    await parent.page.reload()
    await parent.sees("Done. Kite is on the list.")
    await parent.press("Take it off the list again")
    await parent.sees("Kite is off the list again. It is still in the stock.")
    await parent.page.get_by_label(TO_LIST).uncheck()
    await parent.press("Yes")
    await parent.sees("Done. It is in the stock.")
    assert listed(home) == []


def listed(home: Home) -> list[str]:
    return [entry["name"] for entry in home.admin.ask("GET", "/shopping-list")["items"]]
