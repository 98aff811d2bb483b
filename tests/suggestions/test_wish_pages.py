"""Test the pages on which children ask and admins decide."""

import pytest

from homeshelf.inventory.model import InventoryItem
from homeshelf.places.model import Store
from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_place,
    edit_item,
    get_item,
    set_archived,
)
from tests.home import NOBODYS, Home
from tests.moment import Moment
from tests.pages import led_to, look, read, see, send, sent_from_elsewhere
from tests.records import make_record
from tests.running import Person
from tests.suggestions.wish_requests import (
    approve,
    ask_for,
    entries_of,
    get_created,
    items_of,
    propose,
    reject,
    wish_now,
)

DECIDED_PATH = "/wishes?said=decided"


async def list_wishes(person: Person) -> list[Shown]:
    found: list[Shown] = (await person.get("/suggestions")).json()["suggestions"]
    return found


def decision_path(wish: Shown) -> str:
    return f"/wishes/{wish['suggestionId']}/decide"


async def test_child_sees_only_own_wishes(home: Home, kid: Person) -> None:
    sibling = await home.with_member("sibling", "suggester")
    assert "haven’t asked for anything yet" in (await look(kid, "/wishes")).words
    await propose(sibling, "Drums")
    await propose(kid, "Kite")
    page = await look(kid, "/wishes")
    assert "Kite" in page.words
    assert "Drums" not in page.words


async def test_child_sees_status_of_own_wishes(home: Home, kid: Person, moment: Moment) -> None:
    yes, no, short = [await propose(kid, name) for name in ("Kite", "Drums", "Trumpet")]
    await approve(home.admin, yes)
    await reject(home.admin, no, "Too loud")
    await reject(home.admin, short)
    moment.pass_by(60)
    await propose(kid, "Ball")
    moment.pass_by(121)
    page = await look(kid, "/wishes")
    assert page.in_order("Ball", "Asked 2 minutes ago", "waiting for an answer")
    assert page.in_order("Kite", "Yes!", "3 minutes ago")
    assert page.in_order("Drums", "Not this time", "“Too loud”")
    assert page.in_order("Trumpet", "Not this time")
    assert page.words.count("“") == 1


async def test_form_adds_wish_for_new_item(home: Home, kid: Person) -> None:
    page = await look(kid, "/wishes")
    answer = await page.send("/wishes", name=" Kite ", notes="For the beach")
    assert led_to(answer) == "/wishes?said=asked"
    assert "Asked!" in (await look(kid, "/wishes?said=asked")).words
    (wish,) = await list_wishes(home.admin)
    assert (wish["type"], wish["proposedItemName"]) == ("create_item", "Kite")
    assert (wish["notes"], wish["suggestedBy"]) == ("For the beach", kid.member_id)


async def test_form_adds_wish_for_item_of_stock(home: Home, kid: Person, rice: Shown) -> None:
    await add_item(home.admin, name="apples")
    page = await look(kid, "/wishes")
    assert page.in_order("apples", "Rice")
    path = f"/wishes/items/{rice['itemId']}"
    assert path in page.links
    card = await look(kid, path)
    assert "Rice" in card.words
    assert led_to(await card.send("/wishes", notes="All gone!")) == "/wishes?said=asked"
    (wish,) = await list_wishes(home.admin)
    assert (wish["type"], wish["itemId"]) == ("add_to_shopping", rice["itemId"])
    assert (wish["itemNameSnapshot"], wish["notes"]) == ("Rice", "All gone!")


async def test_card_of_item_has_picture_and_data_for_its_script(home: Home, kid: Person) -> None:
    item = await add_item(home.admin, name="zyx")
    page = await look(kid, "/wishes")
    assert "Zzyx" in page.words
    item_id = item["itemId"]
    card = f'<li id="{item_id}"><a class="wish-card" href="/wishes/items/{item_id}"'
    assert f'{card} data-item="{item_id}" data-name="zyx">' in await see(kid, "/wishes")
    alone = await look(kid, f"/wishes/items/{item_id}")
    assert alone.title == "zyx · Homeshelf"
    assert alone.in_order("Z", "zyx", "Why? (optional)")


async def test_own_wishes_show_current_pictures(home: Home, kid: Person, rice: Shown) -> None:
    kite = await propose(kid, "kite")
    await reject(home.admin, kite)
    await send(kid, f"/wishes/{kite['suggestionId']}/heard")
    await ask_for(kid, rice)
    wish = (await list_wishes(kid))[0]
    page = await look(kid, "/wishes")
    assert page.in_order("Your wishes", "🍚 Rice", "🪁 kite")
    await edit_item(home.admin, rice, picture="🍙")
    assert "🍙 Rice" in (await look(kid, "/wishes")).words.partition("Your wishes")[2]
    assert "🍙 Rice" in (await look(home.admin, "/wishes")).words
    assert f'<li id="outcome-{wish["suggestionId"]}">' in await see(kid, "/wishes")


async def test_page_shows_at_most_300_cards_and_says_so(home: Home, kid: Person) -> None:
    ids = {"family_id": home.family_id, "name": "Rice", "quantity": 1}
    items = [make_record(InventoryItem, item_id=f"i{number:03}", **ids) for number in range(301)]
    await home.running.db.batch([item.put() for item in items[1:]])
    assert "There are more" not in (await look(kid, "/wishes")).words
    await home.running.db.batch([items[0].put()])
    page = await look(kid, "/wishes")
    assert "There are more. Search to find the rest." in page.words
    assert len([link for link in page.links if "/wishes/items/" in link]) == 300


async def test_wish_with_both_item_and_name_or_neither_is_refused(
    home: Home, kid: Person, rice: Shown
) -> None:
    both = await send(kid, "/wishes", itemId=rice["itemId"], name="Kite", notes="Please")
    refused = read(kid, both, 400)
    assert "What would you like?" in refused.words
    neither = read(kid, await send(kid, "/wishes", notes="Please"), 400)
    assert "What would you like?" in neither.words
    assert "Please" in neither.values
    assert await list_wishes(home.admin) == []


@pytest.mark.parametrize(("field", "most"), [("name", 100), ("notes", 500)])
async def test_too_long_value_is_refused_and_stays(
    home: Home, kid: Person, field: str, most: int
) -> None:
    given = {"name": "Kite", "notes": "Please"}
    refused = read(kid, await send(kid, "/wishes", **given | {field: "n" * (most + 1)}), 400)
    assert f"{most} characters" in refused.words
    assert set((given | {field: "n" * (most + 1)}).values()) <= set(refused.values)
    assert await list_wishes(home.admin) == []
    answer = await send(kid, "/wishes", **given | {field: "n" * most})
    assert led_to(answer) == "/wishes?said=asked"


async def test_wish_for_archived_or_unknown_item_is_refused(
    home: Home, kid: Person, rice: Shown
) -> None:
    await set_archived(home.admin, rice, "archive")
    assert "Rice" not in (await look(kid, "/wishes")).words
    await look(kid, f"/wishes/items/{rice['itemId']}", 404)
    await look(kid, f"/wishes/items/{NOBODYS}", 404)
    for item_id, status in {rice["itemId"]: 422, NOBODYS: 404}.items():
        refused = read(kid, await send(kid, "/wishes", itemId=item_id), status)
        assert "That’s no longer in the stock." in refused.words
    assert (await send(kid, "/wishes", itemId="rice")).status_code == 400
    assert await list_wishes(home.admin) == []


async def test_forms_of_children_and_admins_are_separate(
    home: Home, kid: Person, neighbour: Person, rice: Shown
) -> None:
    assert (await send(home.admin, "/wishes", name="Kite")).status_code == 403
    await look(home.admin, f"/wishes/items/{rice['itemId']}", 403)
    wish = await propose(kid, "Kite")
    assert not (await look(kid, "/wishes")).has_form(decision_path(wish))
    for person, status in ((kid, 403), (neighbour, 404)):
        for answer in ("yes", "no"):
            sent = await send(person, decision_path(wish), answer=answer, version=1)
            assert sent.status_code == status
    assert await sent_from_elsewhere(home.admin, decision_path(wish)) == 403
    assert await sent_from_elsewhere(kid, "/wishes") == 403
    assert (await wish_now(kid, wish))["status"] == "pending"
    assert len(await list_wishes(home.admin)) == 1


async def test_wish_cards_show_suggester_item_and_reason_oldest_first(
    home: Home, kid: Person, rice: Shown, moment: Moment
) -> None:
    await ask_for(kid, rice, notes="All gone!")
    moment.pass_by(1)
    await propose(kid, "Kite")
    moment.pass_by(119)
    await propose(kid, "Ball")
    page = await look(home.admin, "/wishes")
    assert not page.lost
    assert page.in_order(
        "K kid", "2 minutes ago", "Rice", "“All gone!”",
        "K kid", "minute", "New item: Kite",
        "kid", "just now", "New item: Ball", "2 more wishes",
    )  # fmt: skip


async def test_approval_on_page_adds_list_entry(home: Home, kid: Person, rice: Shown) -> None:
    wish = await ask_for(kid, rice)
    page = await look(home.admin, "/wishes")
    assert led_to(await page.send(decision_path(wish), answer="yes")) == "/wishes?said=yes"
    (entry,) = await entries_of(home)
    assert entry.item_id == rice["itemId"]
    after = await look(home.admin, "/wishes?said=yes")
    assert after.in_order("Done.", "No wishes right now", "Decided", "Rice", "Yes!")
    assert not after.has_form(decision_path(wish))


async def test_rejection_on_page_stores_reason(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Drums")
    page = await look(home.admin, "/wishes")
    answer = await page.send(decision_path(wish), answer="no", rejectionNotes="Too loud")
    assert led_to(answer) == "/wishes?said=no"
    assert "Said no" in (await look(home.admin, "/wishes?said=no")).words
    now = await wish_now(kid, wish)
    assert (now["status"], now["rejectionNotes"]) == ("rejected", "Too loud")
    assert await items_of(home) == []


@pytest.mark.parametrize("first", ["yes", "no"])
async def test_decision_on_page_is_final(home: Home, kid: Person, first: str) -> None:
    wish = await propose(kid, "Kite")
    page = await look(home.admin, "/wishes")
    led = led_to(await page.send(decision_path(wish), answer=first))
    before = await wish_now(kid, wish)
    for answer in ("yes", "no"):
        sent = await page.send(decision_path(wish), answer=answer)
        assert led_to(sent) == (led if answer == first else DECIDED_PATH)
    assert "already decided that" in (await look(home.admin, DECIDED_PATH)).words
    assert await wish_now(kid, wish) == before
    assert len(await items_of(home)) == (1 if first == "yes" else 0)


async def test_invalid_decision_form_decides_nothing(home: Home, kid: Person) -> None:
    wish = await propose(kid, "Kite")
    nonsense: list[dict[str, object]] = [
        {"answer": "perhaps", "version": 1, "rejectionNotes": "Too loud"},
        {"answer": "yes", "rejectionNotes": "Too loud"},
    ]
    for each in nonsense:
        shown = read(home.admin, await send(home.admin, decision_path(wish), **each), 400)
        assert "This form isn’t from Homeshelf. Open the page again." in shown.words
        assert shown.form(decision_path(wish)).fields["rejectionNotes"] == "Too loud"
    stale = await send(home.admin, decision_path(wish), answer="yes", version=9)
    assert led_to(stale) == DECIDED_PATH
    assert (await wish_now(kid, wish))["status"] == "pending"
    unknown = await send(home.admin, f"/wishes/{NOBODYS}/decide", answer="yes", version=1)
    assert unknown.status_code == 404


async def test_too_long_reason_is_refused_on_its_own_card(
    home: Home, kid: Person, moment: Moment
) -> None:
    first = await propose(kid, "Kite")
    moment.pass_by(1)
    wish = await propose(kid, "Drums")
    page = await look(home.admin, "/wishes")
    assert page.form(decision_path(wish)).fields["toList"] == "true"
    del page.form(decision_path(wish)).fields["toList"]
    long = await page.send(decision_path(wish), answer="no", rejectionNotes="n" * 501)
    shown = read(home.admin, long, 400)
    assert shown.in_order("New item: Drums", "Use at most 500 characters.", "New item: Kite")
    assert shown.words.count("Use at most 500 characters.") == 1
    assert "form isn’t from Homeshelf" not in shown.words
    assert shown.form(decision_path(wish)).fields["rejectionNotes"] == "n" * 501
    assert "toList" not in shown.form(decision_path(wish)).fields
    other = shown.form(decision_path(first)).fields
    assert (other["rejectionNotes"], other["toList"]) == ("", "true")
    short = await shown.send(decision_path(wish), answer="no", rejectionNotes="Too loud")
    assert led_to(short) == "/wishes?said=no"
    late = await shown.send(decision_path(wish), answer="no", rejectionNotes="n" * 501)
    assert "already decided that" in read(home.admin, late, 400).words


async def test_wish_for_archived_item_can_only_be_rejected_on_page(
    home: Home, kid: Person, rice: Shown
) -> None:
    wish = await ask_for(kid, rice)
    before = await look(home.admin, "/wishes")
    assert "no longer in your stock" not in before.words
    await set_archived(home.admin, rice, "archive")
    page = await look(home.admin, "/wishes")
    assert "no longer in your stock" in page.words
    yes = [each for each in page.form(decision_path(wish)).buttons if each.get("value") == "yes"]
    assert ["disabled" in each for each in yes] == [True]
    assert led_to(await before.send(decision_path(wish), answer="yes")) == "/wishes?said=gone"
    assert "You can still say no" in (await look(home.admin, "/wishes?said=gone")).words
    assert (await wish_now(kid, wish))["status"] == "pending"
    assert led_to(await page.send(decision_path(wish), answer="no")) == "/wishes?said=no"


async def test_card_shows_listed_item_and_removed_suggester(
    home: Home, kid: Person, rice: Shown
) -> None:
    await ask_for(kid, rice)
    page = await look(home.admin, "/wishes")
    assert "already on the list" not in page.words
    assert "no longer in the family" not in page.words
    await add_entry(home.admin, itemId=rice["itemId"])
    await home.remove_member(kid)
    page = await look(home.admin, "/wishes")
    assert page.in_order("kid", "no longer in the family", "already on the list")


@pytest.mark.parametrize("closed", [True, False])
async def test_approval_omits_closed_store(home: Home, kid: Person, closed: bool) -> None:
    market = await add_place(home.admin, "stores", "Market")
    milk = await add_item(home.admin, name="Milk", preferredStoreId=market["storeId"])
    wish = await ask_for(kid, milk)
    if closed:
        at = (await get_item(home.admin, milk))["createdAt"]
        key = Store.key_for(home.family_id, market["storeId"])
        await home.running.db.change(key, lambda old: old.changed(closed_at=at))
    entry = await get_created(home.admin, wish)
    assert entry["storeId"] == (None if closed else market["storeId"])
