"""Test requests for records that cannot be read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from homeshelf.books.model import Book, Note
from homeshelf.coordination.changes import changes_since
from homeshelf.families.model import Family, Member
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.model import InventoryItem
from homeshelf.notices.model import Notification, OpenNotice
from homeshelf.places.model import PlaceName, StorageLocation, Store
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.model import Shareable
from homeshelf.shopping.model import PendingEntries, ShoppingListItem
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Database, Key
from homeshelf.taps.model import NFCUrl
from tests.api_client import Shown, add_entry, add_item, add_place, make_barcodes
from tests.home import Home
from tests.pages import look
from tests.queues import do_what_is_due
from tests.running import Person, RunningApp, problem_of
from tests.shares.clients import ADMIN, PASSCODES, VIEW, bearer_headers, new_list
from tests.table.faulty_engines import damage_records, warp
from tests.taps.tags import make_tag, tap

UNREADABLE = (422, "unreadable")
(CODE,) = make_barcodes(1)
Damage = Callable[[Database, Key[Any]], Awaitable[None]]


async def replace_name(db: Database, key: Key[Any]) -> None:
    wrong = {"content": 7} if "NOTE#" in str(key.sort) else {"name": 7, "title": 7, "itemName": 7}
    await warp(db, key, type="none", **wrong)


async def break_encoding(db: Database, key: Key[Any]) -> None:
    await damage_records(db.engine, [key])


@pytest.fixture(params=[replace_name, break_encoding])
def damage(request: pytest.FixtureRequest) -> Damage:
    found: Damage = request.param
    return found


@dataclass
class Case:
    path: str
    key: Key[Any]
    get: str | None = ""
    page: str | None = None
    is_deleted: bool = True


async def item_case(home: Home) -> Case:
    item = await add_item(home.admin, name="Rice")
    key = InventoryItem.key(family_id=home.family_id, item_id=item["itemId"])
    return Case(f"/items/{item['itemId']}", key, page=f"/stock/{item['itemId']}")


async def location_case(home: Home) -> Case:
    place = await add_place(home.admin, "locations", "Pantry")
    path = f"/locations/{place['locationId']}"
    key = StorageLocation.key_for(home.family_id, place["locationId"])
    return Case(path, key, page=f"/places{path}/delete")


async def store_case(home: Home) -> Case:
    place = await add_place(home.admin, "stores", "Market")
    path = f"/stores/{place['storeId']}"
    return Case(path, Store.key_for(home.family_id, place["storeId"]), page=f"/places{path}/delete")


async def entry_case(home: Home) -> Case:
    entry = await add_entry(home.admin, name="Cake")
    id_ = entry["shoppingItemId"]
    key = ShoppingListItem.key(family_id=home.family_id, shopping_item_id=id_)
    return Case(f"/shopping-list/{id_}", key, page=f"/list/{id_}")


async def tag_case(home: Home) -> Case:
    tag = await make_tag(home.admin, await add_item(home.admin, name="Rice"))
    key = NFCUrl.key(family_id=home.family_id, item_id=tag["itemId"], url_id=tag["urlId"])
    return Case(f"/nfc-urls/{tag['urlId']}", key, get="/qr.svg")


async def suggestion_case(home: Home) -> Case:
    kid = await home.with_member("kid", "suggester")
    wish = {"type": "create_item", "proposedItemName": "Kite"}
    id_ = (await kid.post("/suggestions", wish)).json()["suggestionId"]
    key = Suggestion.key(family_id=home.family_id, suggestion_id=id_)
    return Case(f"/suggestions/{id_}", key, is_deleted=False)


async def member_case(home: Home) -> Case:
    bob = await home.with_member("bob", "suggester")
    key = Member.key(family_id=home.family_id, member_id=bob.member_id)
    return Case(f"/members/{bob.member_id}", key)


async def book_case(home: Home) -> Case:
    id_ = (await home.admin.post("/books", {"title": "The Hobbit"})).json()["id"]
    key = Book.key(user_id=home.admin.member_id, id=id_)
    return Case(f"/books/{id_}", key, page=f"/books/{id_}")


async def note_case(home: Home) -> Case:
    book = (await home.admin.post("/books", {"title": "The Hobbit"})).json()["id"]
    path = f"/books/{book}/notes"
    id_ = (await home.admin.post(path, {"content": "Good"})).json()["id"]
    key = Note.key(user_id=home.admin.member_id, book_id=book, id=id_)
    return Case(f"{path}/{id_}", key, get=None)


async def list_case(home: Home) -> Case:
    short_id = (await new_list(home.admin))["shortId"]
    return Case(f"/shareables/{short_id}", Shareable.key(short_id=short_id), page=f"/s/{short_id}")


async def list_item_case(home: Home) -> Case:
    made = await new_list(home.admin)
    short_id, id_ = made["shortId"], made["items"][0]["checklistItemId"]
    key = ChecklistItem.key(short_id=short_id, checklist_item_id=id_)
    return Case(f"/shareables/{short_id}/items/{id_}", key, get=None)


CASES = [
    item_case,
    location_case,
    store_case,
    entry_case,
    tag_case,
    suggestion_case,
    member_case,
    book_case,
    note_case,
    list_case,
    list_item_case,
]
OF_FAMILY = [item_case, location_case, store_case, entry_case, tag_case, member_case]


async def is_stored(db: Database, key: Key[Any]) -> bool:
    page = await db.engine.scan(key.table, 1000)
    keys = [(item[key.table.partition], item[key.table.sort]) for item in page.items]
    return (key.partition, key.sort) in [
        *keys,
        *((each.partition, each.sort) for each in page.unreadable),
    ]


@pytest.mark.parametrize("make", CASES)
async def test_reading_answers_422_and_deleting_removes_the_record(
    home: Home, damage: Damage, make: Callable[[Home], Awaitable[Case]]
) -> None:
    case, db = await make(home), home.running.db
    await damage(db, case.key)
    if case.get is not None:
        assert problem_of(await home.admin.get(case.path + case.get)) == UNREADABLE
    if case.page is not None:
        page = await look(home.admin, case.page, 422)
        assert "Some stored data can’t be read." in page.words
    if not case.is_deleted:
        return
    assert await is_stored(db, case.key)
    assert (await home.admin.delete(case.path)).status_code == 204
    assert not await is_stored(db, case.key)
    assert (await home.admin.delete(case.path)).status_code == 404


@pytest.mark.parametrize("make", OF_FAMILY)
async def test_role_and_family_are_checked_before_the_record(
    home: Home, neighbour: Person, damage: Damage, make: Callable[[Home], Awaitable[Case]]
) -> None:
    case, db = await make(home), home.running.db
    kid = await home.with_member("kid", "suggester")
    await damage(db, case.key)
    for who, status in ((home.running.visitor(), 401), (kid, 403), (neighbour, 404)):
        assert (await who.delete(case.path)).status_code == status
    assert (await neighbour.get(case.path + (case.get or ""))).status_code == 404
    assert await is_stored(db, case.key)


async def test_changing_an_unreadable_record_answers_422(home: Home, damage: Damage) -> None:
    item = await item_case(home)
    await damage(home.running.db, item.key)
    changed = await home.admin.patch(item.path, {"name": "Oats", "version": 1})
    assert problem_of(changed) == UNREADABLE
    assert problem_of(await home.admin.post(f"{item.path}/adjust", {"delta": 1})) == UNREADABLE
    assert problem_of(await home.admin.post(f"{item.path}/nfc-urls")) == UNREADABLE


async def test_unreadable_notice_is_not_acknowledged(home: Home, damage: Damage) -> None:
    await add_item(home.admin, quantity=0, threshold=1)
    (notice,) = (await home.admin.get("/notifications")).json()["items"]
    id_ = notice["notificationId"]
    key = Notification.key(family_id=home.family_id, notification_id=id_)
    await damage(home.running.db, key)
    answer = await home.admin.post(f"/notifications/{id_}/acknowledge")
    assert problem_of(answer) == UNREADABLE


async def test_deleting_unreadable_item_frees_everything_that_names_it(
    home: Home, damage: Damage
) -> None:
    running, family_id = home.running, home.family_id
    item = await add_item(home.admin, name="Rice", quantity=0, threshold=1, barcodes=[CODE])
    item_id = item["itemId"]
    await add_entry(home.admin, itemId=item_id)
    tag = await make_tag(home.admin, item)
    await damage(running.db, InventoryItem.key(family_id=family_id, item_id=item_id))
    assert problem_of(await home.admin.get(f"/items/by-barcode/{CODE}")) == UNREADABLE
    assert (await home.admin.delete(f"/items/{item_id}")).status_code == 204
    claims: list[Key[Any]] = [
        BarcodeClaim.key(family_id=family_id, code=CODE),
        OpenNotice.key(family_id=family_id, item_id=item_id),
    ]
    assert await running.db.get_many(claims) == [None, None]
    (notice,) = (await home.admin.get("/notifications")).json()["items"]
    assert notice["status"] == "resolved"
    told = await changes_since(running.db, family_id, None)
    assert ("InventoryItem", item_id, None) in [(it.type, it.id, it.version) for it in told]
    await do_what_is_due(running.db, running.todos)
    (entry,) = (await home.admin.get("/shopping-list")).json()["items"]
    assert (entry["name"], entry["itemId"]) == ("Rice", None)
    assert (await tap(running.visitor(), tag)).status_code == 404
    again = {"name": "Oats", "barcodes": [CODE]}
    assert (await home.admin.post("/items", again)).status_code == 201


@pytest.mark.parametrize("make", [location_case, store_case])
async def test_deleting_unreadable_place_frees_its_name(
    home: Home, damage: Damage, make: Callable[[Home], Awaitable[Case]]
) -> None:
    case, db = await make(home), home.running.db
    kind = case.path.split("/")[1]
    other = await add_place(home.admin, kind, "Other")
    await damage(db, case.key)
    assert (await home.admin.delete(case.path)).status_code == 204
    (left,) = [
        name
        for word in ("LOCATION", "STORE")
        for name in await db.all(PlaceName.where(family_id=home.family_id, kind=word))
    ]
    assert left.holder in other.values()
    for name in ("Pantry", "Market"):
        await add_place(home.admin, kind, name)


async def test_unreadable_store_in_use_is_not_deleted(home: Home, damage: Damage) -> None:
    case = await store_case(home)
    entry = await add_entry(home.admin, name="Cake", storeId=case.path.split("/")[2])
    await damage(home.running.db, case.key)
    refused = await home.admin.delete(case.path)
    assert problem_of(refused) == (409, "in_use")
    assert refused.json()["references"] == {"items": 0, "shoppingItems": 1}
    assert (await home.admin.delete(f"/shopping-list/{entry['shoppingItemId']}")).status_code == 204
    assert (await home.admin.delete(case.path)).status_code == 204


async def test_deleting_unreadable_entry_lets_its_item_be_added_again(
    home: Home, damage: Damage
) -> None:
    item = await add_item(home.admin, name="Rice")
    ids = [
        (await add_entry(home.admin, itemId=item["itemId"], force=True))["shoppingItemId"]
        for _ in range(2)
    ]
    key = PendingEntries.key(family_id=home.family_id, item_id=item["itemId"])
    for left, id_ in ((ids[1:], ids[0]), ([], ids[1])):
        entry = ShoppingListItem.key(family_id=home.family_id, shopping_item_id=id_)
        await damage(home.running.db, entry)
        assert (await home.admin.delete(f"/shopping-list/{id_}")).status_code == 204
        waiting = await home.running.db.get(key)
        assert list(waiting.members if waiting else ()) == left
    await add_entry(home.admin, itemId=item["itemId"])


async def test_deleting_unreadable_admin_keeps_count_and_ends_invitations(
    home: Home, damage: Damage
) -> None:
    bob = await home.with_member("bob", "admin")
    await bob.post("/invitations", {"email": "guest@home.local", "role": "admin"})
    key = Member.key(family_id=home.family_id, member_id=bob.member_id)
    await damage(home.running.db, key)
    assert (await bob.delete(f"/members/{bob.member_id}")).status_code == 500
    assert (await home.admin.delete(f"/members/{bob.member_id}")).status_code == 204
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    assert family.admins == 1
    assert (await bob.get("/me")).json()["families"] == []
    await do_what_is_due(home.running.db, home.running.todos)
    assert (await home.admin.get("/invitations")).json() == {"items": []}
    last = await home.admin.delete(f"/members/{home.admin.member_id}")
    assert problem_of(last) == (409, "last_admin")
    await home.let_in(bob, "suggester")
    assert (await bob.get("/members")).status_code == 200


async def test_deleting_unreadable_book_leaves_nothing_behind(home: Home, damage: Damage) -> None:
    case, db = await book_case(home), home.running.db
    await home.admin.post(f"{case.path}/notes", {"content": "Good"})
    await home.admin.post(f"{case.path}/page", {"page": 3})
    await damage(db, case.key)
    assert problem_of(await home.admin.get(f"{case.path}/notes")) == UNREADABLE
    assert (await home.admin.delete(case.path)).status_code == 204
    await do_what_is_due(db, home.running.todos)
    assert (await db.engine.scan(Book.table, 100)).items == []


async def test_note_of_unreadable_book_is_not_deleted_as_unreadable(
    home: Home, damage: Damage
) -> None:
    case, db = await note_case(home), home.running.db
    book = Book.key(user_id=home.admin.member_id, id=case.path.split("/")[2])
    await damage(db, book)
    assert problem_of(await home.admin.delete(case.path)) == UNREADABLE
    assert await is_stored(db, book)
    assert await is_stored(db, case.key)


@pytest.mark.parametrize(
    ("access", "passcode", "status"),
    [
        ("open", None, 204),
        ("view", None, 401),
        ("view", VIEW, 204),
        ("both", VIEW, 403),
        ("both", ADMIN, 204),
    ],
)
async def test_passcodes_of_unreadable_list_decide_who_deletes_it(
    running: RunningApp, access: str, passcode: str | None, status: int
) -> None:
    visitor = running.visitor()
    made = await new_list(visitor, **PASSCODES[access])
    key = Shareable.key(short_id=made["shortId"])
    unlock = f"/shareables/{made['shortId']}/unlock"
    token = passcode and (await visitor.post(unlock, {"passcode": passcode})).json()["token"]
    await warp(running.db, key, name=7)
    path = f"/shareables/{made['shortId']}"
    assert problem_of(await visitor.get(path, **bearer_headers(token))) == UNREADABLE
    answer = await visitor.delete(path, **bearer_headers(token))
    assert answer.status_code == status
    assert await is_stored(running.db, key) == (status != 204)
    if status == 204:
        await do_what_is_due(running.db, running.todos)
        assert (await running.db.engine.scan(Shareable.table, 100)).items == []


@pytest.mark.parametrize("wrong", [{"viewPasscode": 7}, {"expiresAt": "soon"}, {}])
async def test_only_its_maker_deletes_list_whose_access_is_unknown(
    running: RunningApp, wrong: Shown
) -> None:
    ada, bob = [await running.person(name) for name in ("ada", "bob")]
    made = await new_list(ada)
    key = Shareable.key(short_id=made["shortId"])
    await (warp(running.db, key, **wrong) if wrong else damage_records(running.db.engine, [key]))
    path = f"/shareables/{made['shortId']}"
    for who in (running.visitor(), bob):
        assert problem_of(await who.get(path)) == UNREADABLE
        assert (await who.delete(path)).status_code == 410
    assert await is_stored(running.db, key)
    assert (await ada.delete(path)).status_code == 204
    assert not await is_stored(running.db, key)
