"""Live updates between members: suggestions, answers, invitations."""

from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.live_updates import (
    expect_none,
    expect_text,
    expect_within_a_second,
    live_region,
    row_with_id,
    wait_for_all_changes,
)
from tests.browser.visitor import Visitors


async def test_suggestions_update_live_and_keep_typed_reason(
    visitors: Visitors, home: Home
) -> None:
    cereal = home.item("Cereal", 1, 0)
    emma = home.child(f"Emma-{home.admin.name}")
    parent, child = await home.phone(visitors), await home.phone(visitors, emma)
    await parent.go("/wishes")
    await child.go("/wishes")
    wish = {"type": "add_to_shopping", "itemId": cereal}
    asked = emma.ask("POST", "/suggestions", wish)["suggestionId"]
    await expect_text(parent.page.locator(f"article[id='{asked}']"), "Cereal")
    await expect_text(live_region(child, "outcomes"), "waiting for an answer")
    await expect_text(live_region(child, "cards"), "You asked")
    await parent.write("Reason (if no)", "Not before dinner")
    later = {"type": "create_item", "proposedItemName": "Candy"}
    other = emma.ask("POST", "/suggestions", later)["suggestionId"]
    await parent.page.evaluate("document.activeElement.blur()")
    await expect_text(live_region(parent, "wishes"), "1 more wish after this one")
    home.admin.ask("POST", f"/suggestions/{asked}/approve", {"version": 1})
    await expect_text(live_region(child, "answers"), "Yes!")
    await expect_text(live_region(child, "cards"), "On the list")
    await expect_text(live_region(parent, "wishes"), "Decided")
    await expect(parent.field("Reason (if no)")).to_have_value("Not before dinner")
    await parent.page.locator(f"article[id='{asked}']").get_by_text("Not this time").click()
    await parent.sees("Someone has already decided this.")
    await expect(parent.page.locator(f"article[id='{other}']")).to_be_visible()
    slime = emma.ask("POST", "/suggestions", {**later, "proposedItemName": "Slime"})
    await wait_for_all_changes(home, child)
    no = {"version": 1, "rejectionNotes": "Not today"}
    home.admin.ask("POST", f"/suggestions/{slime['suggestionId']}/reject", no)
    await expect_text(live_region(child, "answers"), "Not today")
    home.item("Bananas", 1, 0)
    await expect_text(live_region(child, "cards"), "Bananas")
    await child.press("Bananas")
    await expect(child.page.get_by_role("dialog")).to_contain_text("Bananas?")
    await parent.go("/wishes")
    await wait_for_all_changes(home, parent)

    def add_wish(number: int) -> str:
        emma.ask("POST", "/suggestions", {**later, "proposedItemName": f"Toy {number}"})
        return f"{number + 1} more wish"

    await expect_within_a_second(parent, "live-region#wishes", add_wish)


async def test_seen_answer_disappears_on_childs_other_device(
    visitors: Visitors, home: Home
) -> None:
    emma = home.child(f"Emma-{home.admin.name}")
    wish = {"type": "create_item", "proposedItemName": "Kite"}
    asked = emma.ask("POST", "/suggestions", wish)["suggestionId"]
    home.admin.ask("POST", f"/suggestions/{asked}/approve", {"version": 1})
    phone, tablet = await home.phone(visitors, emma), await home.phone(visitors, emma)
    for each in (phone, tablet):
        await each.go("/wishes")
        await expect_text(live_region(each, "answers"), "Yes!")
    await wait_for_all_changes(home, tablet)
    await phone.press("Hooray!")
    await expect_text(live_region(tablet, "outcomes"), "Kite")
    await expect(live_region(tablet, "answers")).not_to_contain_text("Yes!")


async def test_childs_suggestion_page_updates_live(visitors: Visitors, home: Home) -> None:
    names = [f"{name}-{home.admin.name}" for name in ("Emma", "Otto")]
    emma, otto = map(home.child, names)
    cereal = home.item("Cereal", 1, 0)
    child = await home.phone(visitors, emma)
    await child.go(f"/wishes/items/{cereal}")
    await expect(child.found("We need this!")).to_be_visible()
    home.admin.ask("PATCH", f"/items/{cereal}", {"name": "Muesli", "version": 1})
    await child.reads_above_all("Muesli")
    otto.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": cereal})
    await child.sees(f"{names[1]} asked")
    await expect(child.found("We need this!")).to_have_count(0)
    home.admin.ask("POST", "/shopping-list", {"itemId": cereal})
    await expect_text(live_region(child, "wished"), "On the list")


async def test_new_store_and_new_member_appear_live(visitors: Visitors, home: Home) -> None:
    phone, other = await home.phone(visitors), await home.phone(visitors)
    await phone.go("/list")
    await other.go("/family")
    home.store("Market")
    await expect_text(phone.page.locator(".shops"), "Market")
    name = f"Emma-{home.admin.name}"
    emma = home.child(name)
    await expect_text(live_region(other, "family"), name)
    home.admin.ask("DELETE", f"/members/{emma.member_id}")
    await expect_none(row_with_id(other, emma.member_id))
    home_name = str(home.rename()["name"])
    await other.reads_above_all(home_name)
    await expect(other.field("Name")).to_have_value(home_name)


async def test_childs_sessions_appear_live_for_parents(visitors: Visitors, home: Home) -> None:
    alva = home.admin.ask("POST", "/members", {"name": "Alva"})["memberId"]
    parent, other = await home.phone(visitors), await home.phone(visitors)
    await parent.go(f"/family/children/{alva}")
    await other.go("/family")
    await expect_text(row_with_id(other, alva), "Set up a device")
    tablet = await visitors.arrive(new=True)
    await tablet.go(await parent.field("Link").input_value())
    await tablet.press("I’m Alva")
    await expect_text(live_region(parent, "child"), "The last link has been used or is too old.")
    await expect_text(row_with_id(other, alva), "1 device")
    link = parent.field("Link")
    for _ in range(2):
        made = home.admin.ask("POST", f"/members/{alva}/sign-in-link", {})
        await expect(link).to_have_value(str(made["link"]))
    await expect(parent.found("Share the link")).to_be_visible()
    home.admin.ask("POST", f"/members/{alva}/sign-in-link", {"endOthers": True})
    await expect_text(row_with_id(other, alva), "Set up a device")


async def test_invitation_page_updates_live(visitors: Visitors, home: Home) -> None:
    name = f"Bo-{home.admin.name}"
    bo = home.household.people[name] = home.household.create_account(name)
    known = {"email": bo.email, "role": "suggester"}
    invitation = home.admin.ask("POST", "/invitations", known)["invitationId"]
    phone = await home.phone(visitors)
    await phone.go(f"/family/invitations/{invitation}")
    again = home.admin.ask("POST", f"/invitations/{invitation}/resend")
    await expect(phone.field("Link")).to_have_value(str(again["link"]))
    await expect(phone.found("Share the link")).to_be_visible()
    bo.ask("POST", "/invitations/accept", {"token": again["link"].rsplit("/", 1)[1]})
    await phone.sees("They’ve joined.")
    await expect(phone.field("Link")).to_have_count(0)
