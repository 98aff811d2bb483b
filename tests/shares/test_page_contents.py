"""Test the contents and the forms of each page of shared lists."""

import re

import pytest
import segno

from homeshelf.shares.checklist.model import NewItem
from homeshelf.shares.checklist.store import Tick, item_key, tick_item
from homeshelf.shares.store import ListWithItems
from tests.home import Home
from tests.moment import DAY, Moment
from tests.pages import Page, led_to, look, read
from tests.running import RunningApp
from tests.shares.clients import OURS, Guest, list_from_redirect, names_of, now, path_of, store_list

ITEMS = (NewItem("Tent", "the green one"), NewItem("Rope"))
LAST_DAY = "1 December 2024"

pytestmark = pytest.mark.usefixtures("moment")


async def store_camping_list(running: RunningApp, **more: str) -> ListWithItems:
    return await store_list(running, items=ITEMS, note="Bring a jumper", **more)


def page_title(page: Page) -> str:
    found = re.search("<title>(.*?)</title>", page.text)
    return found[1] if found else ""


async def test_page_of_a_list_with_items(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    path, short_id = path_of(made), made.shared.short_id
    tent, rope = (f"{path}/items/{item.checklist_item_id}" for item in made.items)
    page = await look(guest, path)
    assert page_title(page) == "Camping · Homeshelf"
    assert page.in_order(
        "Camping", "Bring a jumper", "0 of 2 done", "Tent", "the green one", "Rope",
        "Add your name", f"{short_id} · until {LAST_DAY}",
    )  # fmt: skip
    for link in (tent, rope, f"{path}/share", f"{path}/order", f"{path}/settings"):
        assert link in page.links
    assert {"Edit Tent", "Edit Rope"} <= set(page.spoken)
    assert f'data-list="{short_id}"' in page.text
    assert re.search('data-since="[^"]+"', page.text), "what its script listens from"
    assert re.findall('id="([^"]+)" data-name="([^"]*)"', page.text) == [
        (item.checklist_item_id, item.name) for item in made.items
    ]
    assert led_to(await page.send(f"{path}/who", who="Ada Lovelace")) == path
    assert led_to(await page.send(f"{tent}/tick"))
    assert led_to(await page.send(f"{path}/items", name="Map"))
    page = await look(guest, path)
    assert page.in_order(
        "1 of 3 done", "Tent", ", by Ada Lovelace", "You’re ticking as Ada Lovelace"
    )
    assert page.form(f"{path}/who").fields == {"who": "Ada Lovelace"}
    assert 'data-who="Ada Lovelace"' in page.text
    assert 'title="Ada Lovelace"' in page.text
    assert led_to(await page.send(f"{tent}/tick"))
    assert (await look(guest, path)).in_order("0 of 3 done")


async def test_page_of_an_empty_list(running: RunningApp) -> None:
    page = await look(Guest(running), path_of(await store_list(running)))
    assert "Nothing on this list yet." in page.words


async def test_page_of_an_item(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    item = made.items[0].checklist_item_id
    path = path_of(made, f"/items/{item}")
    page = await look(guest, path)
    assert (page_title(page), page.in_order("Tent", "Name", "Note")) == ("Tent · Homeshelf", True)
    assert page.form(path).fields == {"name": "Tent", "note": "the green one"}
    assert path_of(made, f"#{item}") in page.links
    assert f"{path}/delete" in [button.get("formaction") for button in page.form(path).buttons]
    wrong = read(guest, await page.send(path, name="", note="x" * 2001), 400)
    assert wrong.in_order("Enter a name of up to 200", "Use at most 2,000 characters for the note.")
    assert wrong.form(path).fields == {"name": "", "note": "x" * 2001}
    assert led_to(await page.send(path, name="Big tent")) == path_of(made, f"#{item}")
    found = await now(running, made)
    assert found is not None
    assert (found.items[0].name, found.items[0].note) == ("Big tent", "the green one")


async def test_restored_item_equals_the_removed_one(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    tent = made.items[0].checklist_item_id
    await tick_item(running.db, item_key(made.shared.short_id, tent), Tick(checked=True, by="Ada"))
    answer = await guest.post(path_of(made, f"/items/{tent}/delete"))
    page = read(guest, answer)
    assert page.in_order("Removed “Tent”.", "Undo", "0 of 1 done")
    await page.send(path_of(made, "/items/restore"))
    found = await now(running, made)
    assert found is not None
    back = found.items[0]
    assert names_of(found) == ["Tent", "Rope"]
    assert (back.note, back.checked, back.checked_by) == ("the green one", True, "Ada")


async def test_page_that_reorders_items(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    path = path_of(made, "/order")
    page = await look(guest, path)
    assert page_title(page) == "Reorder Camping · Homeshelf"
    assert page.in_order("Reorder Camping", "Done", "Tent", "Rope")
    assert path_of(made) in page.links
    assert [name for name in page.spoken if "Tent" in name or "Rope" in name] == [
        "Move Tent: use the arrow keys", "Move Tent up", "Move Tent down",
        "Move Rope: use the arrow keys", "Move Rope up", "Move Rope down",
    ]  # fmt: skip
    assert f'data-list="{made.shared.short_id}"' in page.text
    assert re.search('data-since="[^"]+"', page.text)
    assert re.findall('id="([^"]+)" data-name="([^"]*)"', page.text) == [
        (item.checklist_item_id, item.name) for item in made.items
    ]
    move = path_of(made, f"/items/{made.items[0].checklist_item_id}/move")
    assert [button["value"] for button in page.form(move).buttons if "disabled" in button] == ["up"]
    assert led_to(await page.send(move, to="down"))
    assert names_of(await now(running, made)) == ["Rope", "Tent"]
    meanwhile = await look(guest, f"{path}?said=meanwhile")
    assert "Someone else changed the list." in meanwhile.words


async def test_page_that_shares_a_list(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    path, link = path_of(made), f"http://home.test{path_of(made)}"
    page = await look(guest, f"{path}/share")
    assert page_title(page) == "Share Camping · Homeshelf"
    assert page.in_order(
        "Share Camping",
        "enter the list code at home.test/s",
        made.shared.short_id,
        "Back to the list",
    )
    assert link in page.values
    assert f'data-url="{link}" data-title="Camping"' in page.text
    assert qr_paths(page) == expected_qr_path(link)
    assert {path, f"{path}/print"} <= set(page.links)
    new = await look(guest, f"{path}/share?said=new")
    assert new.in_order("Your list is ready", "Open list")


async def test_page_to_print(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    link = f"http://home.test{path_of(made)}"
    page = await look(guest, path_of(made, "/print"))
    assert page_title(page) == "Print Camping · Homeshelf"
    assert page.in_order(
        "Camping", "Bring a jumper", "Tent", "the green one", "Rope", made.shared.short_id, link
    )
    assert qr_paths(page) == expected_qr_path(link)
    assert path_of(made) in page.links


async def test_page_of_settings(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    path = path_of(made, "/settings")
    page = await look(guest, path)
    assert page_title(page) == "Settings for Camping · Homeshelf"
    assert page.in_order(
        "Camping", "List settings", f"Until {LAST_DAY}", "A day from now",
        "No passcode yet: anyone with the link", "See and tick", "Anyone with the link still needs",
        "Change the list", "For adding, reordering and deleting", "Delete permanently",
    )  # fmt: skip
    assert page.form(path).fields == {
        "version": "1",
        "name": "Camping",
        "note": "Bring a jumper",
        "expiresInDays": "",
        "viewPasscode": "",
        "adminPasscode": "",
    }
    assert {path_of(made), path_of(made, "/copy")} <= set(page.links)
    typed = {"name": "x" * 201, "note": "y" * 2001, "expiresInDays": "7", "viewPasscode": "abc"}
    wrong = read(guest, await page.send(path, **typed), 400)
    assert wrong.in_order(
        "Enter a name of up to 200 characters.", "Use at most 2,000 characters for the note.",
        "Use 4 to 128 characters for a passcode.",
    )  # fmt: skip
    kept = wrong.form(path).fields
    assert {name: kept[name] for name in typed} == typed | {"viewPasscode": ""}
    never = read(guest, await page.send(path, expiresInDays="0"), 400)
    assert "Choose 1 to 365 days." in never.words
    saved = await page.send(path, viewPasscode="see it", adminPasscode="change it")
    assert "Saved." in (await look(guest, led_to(saved))).words
    page = await look(guest, path)
    assert page.words.count("A passcode is set. Enter a new one to change it.") == 2
    assert page.words.count("Remove this passcode") == 2
    assert re.findall('name="(no[^"]+)" value="1"', page.text) == [
        "noViewPasscode",
        "noAdminPasscode",
    ]
    assert led_to(await page.send(path_of(made, "/delete"))) == "/s?said=deleted"
    assert await now(running, made) is None


async def test_page_of_a_new_list(running: RunningApp) -> None:
    guest = Guest(running)
    page = await look(guest, "/s/new")
    assert page_title(page) == "Create a list · Homeshelf"
    assert page.in_order(
        "Create a list", "List name", "Items", "One item per line.",
        "Keep it for", "A day", "A week", "30 days", "Three months", "A year",
        "See and tick", "Change the list", "Create list",
    )  # fmt: skip
    assert page.form("/s/new").fields == {
        "name": "",
        "items": "",
        "expiresInDays": "30",
        "viewPasscode": "",
        "adminPasscode": "",
    }
    typed = {"name": "", "items": "z" * 201, "expiresInDays": "90", "adminPasscode": "abc"}
    wrong = read(guest, await page.send("/s/new", **typed), 400)
    assert wrong.in_order(
        "Enter a name of up to 200 characters.",
        "has 201.",
        "Use 4 to 128 characters for a passcode.",
    )
    kept = wrong.form("/s/new").fields
    assert {name: kept[name] for name in typed} == typed | {"adminPasscode": ""}
    never = read(guest, await guest.post("/s/new", name="Trip", expiresInDays="0"), 400)
    assert "Choose 1 to 365 days." in never.words
    made = await list_from_redirect(
        running, await page.send("/s/new", name="Trip", items="Tent\nRope")
    )
    assert names_of(made) == ["Tent", "Rope"]


async def test_page_that_copies_a_list(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    path = path_of(made, "/copy")
    page = await look(guest, path)
    assert page_title(page) == "Make a copy · Homeshelf"
    assert page.in_order(
        "Make a copy", "none of them ticked", "2 items", "Tent", "the green one", "Rope",
        "Create copy", "Cancel",
    )  # fmt: skip
    assert page.form(path).fields["name"] == "Camping"
    assert path_of(made) in page.links
    copied = await list_from_redirect(running, await page.send(path))
    assert (copied.shared.name, names_of(copied)) == ("Camping", ["Tent", "Rope"])


async def test_page_that_shares_the_shopping_list(running: RunningApp, home: Home) -> None:
    shops = {
        name: (await home.admin.post("/stores", {"name": name})).json()["storeId"]
        for name in ("market", "Corner")
    }
    sent = {"name": "Milk", "storeId": shops["market"], "notes": "the blue one"}
    await home.admin.post("/shopping-list", sent)
    ada = Guest(running, home.admin)
    nothing = await look(ada, "/s/from-list")
    assert nothing.in_order("Share a copy of this list", "Corner", "market", "Nothing to buy here")
    page = await look(ada, f"/s/from-list?at={shops['market']}")
    assert page.in_order("Their ticks won’t change your list", "1 item", "Milk", "the blue one")
    assert [f"/s/from-list?at={each}" in page.links for each in shops.values()] == [True, True]
    assert re.findall('aria-current="page">([^<]+)<', page.text) == ["market"]
    form = page.form("/s/from-list").fields
    assert (form["storeId"], form["name"]) == (shops["market"], "market")
    made = await list_from_redirect(running, await page.send("/s/from-list"))
    assert [(item.name, item.note) for item in made.items] == [("Milk", "the blue one")]


async def test_page_of_a_locked_list(running: RunningApp) -> None:
    made, guest = await store_camping_list(running, view="see it"), Guest(running)
    path = path_of(made, "/unlock")
    page = await look(guest, path_of(made), 401)
    assert page.in_order(
        "needs a passcode", f"Ask the person who shared {made.shared.short_id} with you"
    )
    wrong = read(guest, await page.send(path, passcode="guess"), 401)
    assert "That isn’t the list’s passcode." in wrong.words
    assert led_to(await wrong.send(path, passcode="see it")) == path_of(made)


async def test_page_of_an_expired_list(running: RunningApp, moment: Moment) -> None:
    made, guest = await store_camping_list(running, admin="change it"), Guest(running)
    moment.pass_by(30 * DAY)
    path = path_of(made, "/unlock")
    page = await look(guest, path_of(made), 410)
    assert "<title>Expired list · Homeshelf</title>" in page.text
    assert page.in_order("This list has ended", f"{made.shared.short_id} has expired")
    assert f"/sign-in?next={path_of(made)}" in page.links
    assert not re.search("<details open>", page.text)
    wrong = read(guest, await page.send(path, passcode="guess"), 401)
    assert "That isn’t the list’s passcode." in wrong.words
    assert re.search("<details open>", wrong.text)
    assert led_to(await wrong.send(path, passcode="change it")) == path_of(made)
    own = await look(guest, path_of(made))
    assert own.in_order(f"This list ended on {LAST_DAY}.", "Tent", f"· ended {LAST_DAY}")
    assert path_of(made, "/copy") in own.links
    assert "data-over" in own.text
    assert led_to(await own.send(path_of(made, "/delete"))) == "/s?said=deleted"
    assert await now(running, made) is None


async def test_page_of_my_lists(running: RunningApp, home: Home, moment: Moment) -> None:
    me = home.admin.member_id
    old = await store_list(running, name="Old", maker=me, days=1)
    moment.pass_by(DAY)
    ada = Guest(running, home.admin)
    new = await store_list(running, name="New", maker=me, days=30)
    page = await look(ada, "/s/mine")
    assert page.in_order(
        "New", f"{new.shared.short_id} · until 2 December 2024",
        "Old", f"{old.shared.short_id} · ended 2 November 2024",
    )  # fmt: skip
    assert {path_of(new), path_of(old)} <= set(page.links)
    assert {"Remove New from my lists", "Remove Old from my lists"} <= set(page.spoken)
    assert led_to(await page.send(path_of(new, "/forget"))) == "/s/mine"
    left = await look(ada, "/s/mine")
    assert ("New" in left.words, "Old" in left.words) == (False, True)
    assert (await look(ada, path_of(new))).has_form(path_of(new, "/keep"))
    assert not any("nextToken" in link for link in left.links)
    await store_list(running, name="Third", maker=me)
    first = await look(ada, "/s/mine?limit=1")
    (more,) = [link for link in first.links if "nextToken" in link]
    both = [first, await look(ada, more)]
    assert sorted(name for name in ("Old", "Third") for each in both if name in each.words) == [
        "Old",
        "Third",
    ]


async def test_page_that_finds_a_list(running: RunningApp) -> None:
    guest = Guest(running)
    page = await look(guest, "/s")
    assert page_title(page) == "Shared lists · Homeshelf"
    assert page.in_order("Open a shared list", "List code", "Like abc-def-12345", "Create a list")
    asked = await guest.client.get("/s", params={"id": "zzz zzz"}, headers=OURS)
    wrong = read(guest, asked, 404)
    assert "There’s no list with this code." in wrong.words
    assert wrong.form("/s").fields == {"id": "zzz zzz"}


async def test_name_beside_a_tick_is_cut_to_its_limit(running: RunningApp) -> None:
    made, guest = await store_camping_list(running), Guest(running)
    guest.client.cookies.set("homeshelf-who", "x" * 60, domain="home.test", path="/s")
    await guest.post(path_of(made, f"/items/{made.items[0].checklist_item_id}/tick"), checked="1")
    found = await now(running, made)
    assert found is not None
    assert found.items[0].checked_by == "x" * 50


def qr_paths(page: Page) -> list[str]:
    return re.findall(r'class="qr"><path[^>]* d="([^"]+)"', page.text)


def expected_qr_path(link: str) -> list[str]:
    return re.findall(r'd="([^"]+)"', segno.make(link, error="m").svg_inline(border=2))
