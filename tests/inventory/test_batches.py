"""Many items in one request: all of them or none, each once, as one by one would be."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from homeshelf import clock
from homeshelf.config import Rate
from homeshelf.coordination.changes import changes_since
from homeshelf.coordination.todos import Todo, attend_to, todo
from homeshelf.errors import Duplicate
from homeshelf.families.memberships import sweep
from homeshelf.inventory import batches
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.batches import PromisedItems, promised_items
from homeshelf.inventory.model import InventoryItem, new_item
from homeshelf.places.model import StorageLocation, Store
from homeshelf.table import Database
from tests.counting import counting
from tests.cupboard import (
    Shown,
    add_item,
    add_place,
    edit,
    eventually,
    every_page,
    item_now,
    nothing_changes,
    open_notice,
    some_barcodes,
)
from tests.databases import Opener
from tests.home import NOBODYS, Home, new_home
from tests.made import made
from tests.moment import Moment
from tests.running import Person, RunningApp, problem_of, running_app
from tests.suggestions.watched import just_before_the_first_transaction, watched
from tests.taps.tags import make_tag
from tests.todos import todos_of

MANY = 100
NAME = "Name must be 1-100 characters"
ID = "Item ID must be a UUID of version 4"
V1 = "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d"


def things(number: int, **given: Any) -> list[Shown]:
    return [{"name": f"Thing {place}", "quantity": place, **given} for place in range(number)]


def with_ids(items: list[Shown]) -> list[Shown]:
    return [item | {"itemId": str(uuid4())} for item in items]


async def add_all(person: Person, items: list[Shown], **options: Any) -> list[Shown]:
    answer = await person.post("/items/batch", {"items": items}, **options)
    assert answer.status_code == 201, answer.text
    made: list[Shown] = answer.json()["items"]
    return made


async def everything(home: Home) -> list[Shown]:
    return await every_page(home.admin, "/items?status=all", 100)


async def claims(home: Home) -> dict[str, str]:
    every = await home.running.db.all(BarcodeClaim.where(family_id=home.family_id).up_to_date())
    return {claim.code: claim.holder for claim in every}


async def left_to_make(db: Database) -> list[Todo]:
    return [left for left in await todos_of(db) if left.kind == batches.MAKE_ITEMS]


async def nothing_is_left(home: Home) -> bool:
    promised = await promised_items(home.running.db, home.family_id)
    assert promised is None or promised.item_ids == ()
    return await left_to_make(home.running.db) == []


async def test_a_hundred_are_made_in_their_order(home: Home) -> None:
    pantry = await add_place(home.admin, "locations", "Pantry")
    market = await add_place(home.admin, "stores", "Market")
    given = {
        "threshold": 50,
        "locationId": pantry["locationId"],
        "preferredStoreId": market["storeId"],
        "unit": "bags",
        "notes": "The brown one",
        "picture": "🍚",
    }
    asked = with_ids(things(MANY, **given))
    for item, code in zip(asked, some_barcodes(80), strict=False):
        item["barcodes"] = [code]
    made = await add_all(home.admin, asked)
    assert made == [is_ | said for is_, said in zip(made, asked, strict=True)]
    assert [item["isLowStock"] for item in made] == [place < 50 for place in range(MANY)]
    assert {item["createdBy"] for item in made} == {home.admin.member_id}
    stored = {item["itemId"]: item for item in await everything(home)}
    assert stored == {item["itemId"]: item for item in made}
    assert await nothing_is_left(home)
    assert await claims(home) == {it["barcodes"][0]: it["itemId"] for it in made[:80]}


async def test_each_is_as_if_it_had_come_by_itself(home: Home) -> None:
    one = await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    before = await changes_since(home.running.db, home.family_id, None)
    two, three = await add_all(
        home.admin,
        [{"name": "Rice", "quantity": 1, "threshold": 2}, {"name": "Beans", "quantity": 9}],
    )
    own = ("itemId", "createdAt", "updatedAt")
    assert {k: v for k, v in two.items() if k not in own} == {
        k: v for k, v in one.items() if k not in own
    }
    histories = []
    for item in (one, two, three):
        (only,) = await every_page(home.admin, f"/items/{item['itemId']}/history", 100)
        assert only.pop("at") == item["createdAt"]
        histories.append(only)
    begun = {"by": home.admin.member_id, "source": "created"}
    assert histories == [begun | {"delta": n, "quantity": n} for n in (1, 1, 9)]
    notice = await open_notice(home, two)
    assert notice is not None
    assert await open_notice(home, three) is None
    told = await changes_since(home.running.db, home.family_id, None)
    heard = {(c.type, id_, c.version) for c in told if c not in before for id_ in c.ids}
    assert heard == {
        ("InventoryItem", two["itemId"], 1),
        ("InventoryItem", three["itemId"], 1),
        ("Notification", notice["notificationId"], 1),
    }


async def test_ids_are_made_where_none_are_given(home: Home) -> None:
    mine = str(uuid4())
    asked = [{"name": "Rice"}, {"name": "Beans", "itemId": mine.upper()}, {"name": "Peas"}]
    made = await add_all(home.admin, [*asked, {"name": "Oats", "itemId": None}])
    assert [item["name"] for item in made] == ["Rice", "Beans", "Peas", "Oats"]
    assert made[1]["itemId"] == mine
    assert len({item["itemId"] for item in made}) == 4
    assert {UUID(item["itemId"]).version for item in made} == {4}


WRONG_ALONE: list[tuple[Any, str, str]] = [
    ({}, "items", "Items are a list of 1 to 100"),
    ({"items": None}, "items", "Items are a list of 1 to 100"),
    ({"items": []}, "items", "Items are a list of 1 to 100"),
    ({"items": {"name": "Rice"}}, "items", "Items are a list of 1 to 100"),
    ({"items": things(101)}, "items", "Items are a list of 1 to 100"),
    ({"items": ["Rice"]}, "items.0", "This must be a JSON object."),
    ({"items": [{"name": "Rice", "itemId": V1}]}, "items.0.itemId", ID),
    ({"items": [{"name": "Rice", "itemId": "x"}]}, "items.0.itemId", ID),
    ({"items": [{"name": "Rice", "version": 1}]}, "items.0.version", "There is no such field."),
    ({"items": things(1), "force": True}, "force", "There is no such field."),
]


@pytest.mark.parametrize(("body", "field", "message"), WRONG_ALONE)
async def test_what_is_wrong_is_said_of_its_place(
    home: Home, body: Any, field: str, message: str
) -> None:
    answer = await home.admin.post("/items/batch", body)
    assert problem_of(answer) == (400, "validation")
    assert answer.json()["errors"] == [{"field": field, "message": message}]


async def test_every_bad_field_of_every_item_is_named_and_nothing_is_made(home: Home) -> None:
    asked: list[Shown] = [{"name": "", "quantity": -1, "colour": "red"} for _ in range(MANY)]
    asked[3] = {"name": "Rice", "barcodes": ["96385074", "96385075"], "locationId": "x"}
    asked[4] = {"name": "Beans"}
    answer = await home.admin.post("/items/batch", {"items": asked}, key="k")
    assert problem_of(answer) == (400, "validation")
    named = {error["field"]: error["message"] for error in answer.json()["errors"]}
    assert len(named) == 3 * (MANY - 2) + 2
    assert named["items.0.name"] == named["items.99.name"] == NAME
    assert named["items.99.colour"] == "There is no such field."
    assert {name for name in named if name.startswith("items.3.")} == {
        "items.3.barcodes.1",
        "items.3.locationId",
    }
    assert await everything(home) == []
    assert await claims(home) == {}


async def test_what_two_of_them_share_is_named(home: Home) -> None:
    first, second = str(uuid4()), str(uuid4())
    asked = [
        {"name": "Rice", "itemId": first, "barcodes": ["036000291452"]},
        {"name": "Beans", "itemId": second},
        {"name": "Peas", "itemId": first.upper(), "barcodes": ["96385074"]},
        {"name": "Oats", "barcodes": ["4006381333931", "0036000291452"]},
    ]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [
        "items.2.itemId",
        "items.3.barcodes",
    ]
    assert await everything(home) == []


async def test_eighty_barcodes_are_as_many_as_can_be(home: Home) -> None:
    codes = some_barcodes(81)
    asked = [
        item | {"barcodes": codes[place * 10 : place * 10 + 10]}
        for place, item in enumerate(things(MANY))
    ]
    answer = await home.admin.post("/items/batch", {"items": asked}, key="k")
    assert problem_of(answer) == (400, "validation")
    assert answer.json()["errors"] == [
        {"field": "items", "message": "Together at most 80 barcodes"}
    ]
    del asked[8]["barcodes"]
    await add_all(home.admin, asked, key="k")
    assert await claims(home) == {
        code: item["itemId"] for item in await everything(home) for code in item["barcodes"]
    }


async def test_as_much_as_can_be_said_of_each_is_made(home: Home) -> None:
    """A transaction holds three of these: each is low, and names 22 places of its own."""
    asked = []
    for number in range(8):
        of = {"family_id": home.family_id, "created_at": "", "updated_at": ""}
        shops = [made(Store, store_id=str(uuid4()), name=f"{number} {n}", **of) for n in range(21)]
        location = made(StorageLocation, location_id=str(uuid4()), name=str(number), **of)
        await home.running.db.batch([place.put() for place in (*shops, location)])
        asked.append(
            {
                "name": "x" * 100,
                "threshold": 1,
                "locationId": location.location_id,
                "preferredStoreId": shops[0].store_id,
                "alternateStoreIds": [shop.store_id for shop in shops[1:]],
                "barcodes": some_barcodes(10, number * 10),
            }
        )
    items = await add_all(home.admin, asked)
    assert items == [is_ | said for is_, said in zip(items, asked, strict=True)]
    for item in items:
        assert await open_notice(home, item) is not None


async def test_a_transaction_is_filled_and_not_more(home: Home) -> None:
    """Sixteen that run low are 96 writes, and one that does not is two more."""
    asked = [*things(17, threshold=99)[1:], *things(8)]
    assert len(await add_all(home.admin, asked)) == 24
    assert len(await every_page(home.admin, "/notifications", 100)) == 16


async def test_a_place_that_is_not_there_is_not_found(home: Home, neighbour: Person) -> None:
    theirs = await add_place(neighbour, "locations", "Pantry")
    ours = (await add_place(home.admin, "locations", "Pantry"))["locationId"]
    for named in (
        {"locationId": ours, "preferredStoreId": ours},
        {"locationId": ours, "alternateStoreIds": [ours]},
        {"locationId": NOBODYS},
        {"locationId": theirs["locationId"]},
        {"preferredStoreId": NOBODYS},
        {"alternateStoreIds": [NOBODYS]},
    ):
        asked = [*things(30), {"name": "Rice", "barcodes": ["96385074"], **named}]
        answer = await home.admin.post("/items/batch", {"items": asked})
        assert problem_of(answer) == (404, "not_found")
        assert answer.json()["detail"] == "There is no such place."
    assert (await everything(home), await claims(home)) == ([], {})


async def test_a_barcode_in_use_refuses_all_of_them(home: Home) -> None:
    rice = await add_item(home.admin, barcodes=["036000291452"])
    asked = [*things(60), {"name": "Beans", "barcodes": ["96385074", "0036000291452"]}]
    async with nothing_changes(home):
        answer = await home.admin.post("/items/batch", {"items": asked}, key="k")
        assert (problem_of(answer), answer.json()["existing"]) == ((409, "duplicate"), rice)
    assert await nothing_is_left(home)
    del asked[60]["barcodes"]
    assert len(await add_all(home.admin, asked, key="k")) == 61


async def test_an_id_in_use_refuses_all_of_them(home: Home) -> None:
    rice = await add_item(home.admin)
    archived = await add_item(home.admin, name="Beans")
    archived = (await home.admin.post(f"/items/{archived['itemId']}/archive")).json()
    for there in (rice, archived):
        asked = [*things(2, barcodes=[]), {"name": "Peas", "itemId": there["itemId"]}]
        async with nothing_changes(home):
            answer = await home.admin.post("/items/batch", {"items": asked})
            assert (problem_of(answer), answer.json()["existing"]) == ((409, "duplicate"), there)
    assert await nothing_is_left(home)


async def test_an_id_under_which_a_tag_stands_is_in_use(home: Home) -> None:
    rice = await add_item(home.admin)
    await make_tag(home.admin, rice)
    assert (await home.admin.delete(f"/items/{rice['itemId']}")).status_code == 204
    asked = [{"name": "Peas", "itemId": rice["itemId"]}]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (409, "duplicate")
    assert "existing" not in answer.json()
    assert await everything(home) == []


async def test_an_id_is_free_once_its_item_is_gone_for_good(home: Home) -> None:
    """As long as what it left is not cleared away, that would be taken for the new item's."""
    db = home.running.db
    rice = await add_item(home.admin)
    key = InventoryItem.key(family_id=home.family_id, item_id=rice["itemId"])
    kept = await db.get(key)
    assert kept is not None
    await db.write(kept.delete())  # and no more: as if the process had ended there
    asked = [{"name": "Peas", "quantity": 3, "itemId": rice["itemId"]}]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (409, "duplicate")
    await home.running.todos["item_removed"](db, _removed(rice))
    (peas,) = await add_all(home.admin, asked)
    await home.running.todos["item_removed"](db, _removed(rice))
    history = await every_page(home.admin, f"/items/{rice['itemId']}/history", 100)
    assert [each["quantity"] for each in history] == [3]
    assert await item_now(home.admin, rice) == peas


def _removed(item: Shown) -> Any:
    about = {"familyId": item["familyId"], "itemId": item["itemId"], "by": None}
    return todo("item_removed", about)


async def test_ids_of_another_family_are_their_own(home: Home, neighbour: Person) -> None:
    (ours,) = await add_all(home.admin, with_ids(things(1)))
    (theirs,) = await add_all(neighbour, [{"name": "Peas", "itemId": ours["itemId"]}])
    assert await item_now(home.admin, ours) == ours
    assert await item_now(neighbour, ours) == theirs


async def statuses(asked: list[Any]) -> list[int]:
    answers: list[httpx.Response] = await asyncio.gather(*asked)
    for answer in answers:
        if answer.status_code != 201:
            assert problem_of(answer) == (409, "duplicate")
    return sorted(answer.status_code for answer in answers)


async def test_of_batches_with_the_same_ids_at_once_one_is_made(home: Home) -> None:
    ids = [item["itemId"] for item in with_ids(things(MANY))]
    asked = [
        [{"name": f"Of {who}", "itemId": id_} for id_ in (ids if who % 2 else ids[::-1])]
        for who in range(4)
    ]
    found = await statuses([home.admin.post("/items/batch", {"items": each}) for each in asked])
    assert found == [201, 409, 409, 409]
    made = await everything(home)
    assert (len(made), len({item["name"] for item in made})) == (MANY, 1)
    assert await nothing_is_left(home)


async def test_an_id_of_what_is_still_to_come_is_in_use(home: Home) -> None:
    rice, _peas = await promised(home, 2)
    asked = [{"name": "Beans"}, {"name": "Oats", "itemId": rice.item_id}]
    answer = await home.admin.post("/items/batch", {"items": asked})
    assert problem_of(answer) == (409, "duplicate")
    await batches.finish(home.running.db, await left_to_make(home.running.db))
    assert {item["name"] for item in await everything(home)} == {"Thing 0", "Thing 1"}


async def test_of_batches_with_the_same_barcode_at_once_one_is_made(home: Home) -> None:
    asked = [[*things(30), {"name": "Rice", "barcodes": ["96385074"]}] for _ in range(3)]
    found = await statuses([home.admin.post("/items/batch", {"items": each}) for each in asked])
    assert found == [201, 409, 409]
    assert len(await everything(home)) == 31
    assert await nothing_is_left(home)


async def test_batches_that_share_nothing_are_all_made_at_once(
    home: Home, open_another: Opener
) -> None:
    """In several processes too, none of which knows of the others."""
    async with running_app(open_another()) as elsewhere:
        ada = elsewhere.visitor()
        ada.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
        asked = [
            who.post("/items/batch", {"items": with_ids(things(40, threshold=20))})
            for who in (home.admin, ada, home.admin, ada)
        ]
        assert await statuses(asked) == [201] * 4
    made = await everything(home)
    assert len({item["itemId"] for item in made}) == 160
    assert len(await every_page(home.admin, "/notifications", 100)) == 80
    assert await nothing_is_left(home)


async def test_the_same_ids_from_two_processes_are_made_once(
    home: Home, open_another: Opener
) -> None:
    async with running_app(open_another()) as elsewhere:
        ada = elsewhere.visitor()
        ada.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
        for _ in range(3):
            same = with_ids(things(3))
            asked = [
                who.post("/items/batch", {"items": [each | {"notes": note} for each in same]})
                for who, note in ((home.admin, "here"), (ada, "there"))
            ]
            assert await statuses(asked) == [201, 409]
    made = await everything(home)
    assert len(made) == 9
    assert await nothing_is_left(home)


async def test_a_batch_that_comes_and_goes_meanwhile_is_noticed(
    home: Home, open_another: Opener
) -> None:
    """Another process makes the same ids, all of them, between our reading and our writing."""
    quicker = open_another()
    first, second = (
        [new_item(home.family_id, home.admin.member_id, {"name": name, "item_id": NOBODYS})]
        for name in ("Rice", "Beans")
    )
    await add_all(home.admin, things(1))  # so that there were batches before

    async def make_it() -> None:
        left = await batches.promise(quicker, home.family_id, first, [NOBODYS], ())
        await batches.finish(quicker, left)

    slower = watched(open_another(), just_before_the_first_transaction(make_it))
    with pytest.raises(Duplicate) as refused:
        await batches.promise(slower, home.family_id, second, [NOBODYS], ())
    assert isinstance(refused.value.record, InventoryItem)
    assert refused.value.record.name == "Rice"
    assert await nothing_is_left(home)


async def test_a_replay_answers_the_same(home: Home) -> None:
    """A hundred items with all that can be said of them are more than an answer keeps."""
    given = {"notes": "ö" * 500, "unit": "å" * 50, "threshold": 50}
    body = {"items": with_ids(things(MANY, **given))}
    first = await home.admin.post("/items/batch", body, key="k")
    assert first.status_code == 201
    assert len(first.content) > 100_000
    again = await home.admin.post("/items/batch", body, key="k")
    assert (again.status_code, again.text) == (201, first.text)
    assert len(await everything(home)) == MANY
    assert len(await every_page(home.admin, "/notifications", 100)) == 50
    other = await home.admin.post("/items/batch", {"items": things(1)}, key="k")
    assert problem_of(other) == (409, "idempotency_mismatch")


async def test_a_request_that_is_sent_again_at_once_is_done_once(home: Home) -> None:
    for body in ({"items": things(60)}, {"items": with_ids(things(60, barcodes=[]))}):
        before = len(await everything(home))
        answers = await asyncio.gather(
            *(home.admin.post("/items/batch", body, key=str(before)) for _ in range(4))
        )
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.text for answer in answers}) == 1
        assert len(await everything(home)) == before + 60


async def test_a_replay_shows_what_became_of_them(home: Home) -> None:
    body = {"items": things(3)}
    one, two, three = await add_all(home.admin, body["items"], key="k")
    renamed = await edit(home.admin, three, name="Wild rice")
    assert (await home.admin.delete(f"/items/{two['itemId']}")).status_code == 204
    again = await home.admin.post("/items/batch", body, key="k")
    assert (again.status_code, again.json()) == (201, {"items": [one, renamed]})
    assert len(await everything(home)) == 2


async def test_a_replay_waits_for_what_is_not_made_yet(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, body = home.running.db, {"items": things(3)}
    made = await add_all(home.admin, body["items"], key="k")
    (last,) = await promised(home, 1)

    async def repeat() -> httpx.Response:
        return await home.admin.post("/items/batch", body, key="k")

    async def tell(*item_ids: str) -> None:
        await db.change(
            PromisedItems.key(family_id=home.family_id),
            lambda old: old.changed(item_ids=item_ids, version=old.version + 1),
        )

    assert (await repeat()).json()["items"] == made, "others are not waited for"
    await tell(last.item_id, made[2]["itemId"])
    with monkeypatch.context() as patch:
        patch.setattr(batches, "WAITED_SECONDS", 0.1)
        answer = await repeat()
        assert problem_of(answer) == (503, "unavailable")
        assert answer.headers["retry-after"] == "2"
    again = asyncio.create_task(repeat())
    await asyncio.wait([again], timeout=0.1)
    assert not again.done()
    await tell(last.item_id)
    assert (await again).json()["items"] == made


async def promised(home: Home, number: int, **given: Any) -> list[InventoryItem]:
    """Items that are left to be made, as a process leaves them that ended."""
    new = [
        new_item(home.family_id, home.admin.member_id, {"name": f"Thing {place}", **given})
        for place in range(number)
    ]
    await batches.promise(home.running.db, home.family_id, new, [], ())
    return new


async def test_what_is_left_is_made_once_though_it_is_begun_twice(
    home: Home, open_another: Opener
) -> None:
    new = await promised(home, 60, threshold=1)
    elsewhere = open_another()
    every = await left_to_make(home.running.db)
    assert sorted(len(left.about["items"]) for left in every) == [10, 25, 25]
    await asyncio.gather(
        *(batches.make(db, left) for left in every for db in (home.running.db, elsewhere))
    )
    for left in every:
        await batches.make(home.running.db, left)
    made = await everything(home)
    assert {item["itemId"] for item in made} == {item.item_id for item in new}
    assert len(await every_page(home.admin, "/notifications", 100)) == 60
    for item in made[:3]:
        assert len(await every_page(home.admin, f"/items/{item['itemId']}/history", 100)) == 1


async def test_what_was_deleted_since_is_not_made_again(home: Home) -> None:
    """The process ended after it had made them, before it could say that it had."""
    one, two = await promised(home, 2)
    (left,) = await left_to_make(home.running.db)
    await batches.make(home.running.db, left)
    assert (await home.admin.delete(f"/items/{one.item_id}")).status_code == 204
    assert len(await left_to_make(home.running.db)) == 1
    await batches.finish(home.running.db, [left])
    assert [item["itemId"] for item in await everything(home)] == [two.item_id]


async def test_a_place_that_went_meanwhile_is_left_out(home: Home) -> None:
    pantry, cellar = [await add_place(home.admin, "locations", n) for n in ("Pantry", "Cellar")]
    market, corner = [await add_place(home.admin, "stores", n) for n in ("Market", "Corner")]
    ids = {
        "preferred_store_id": market["storeId"],
        "alternate_store_ids": [corner["storeId"], market["storeId"]],
    }
    given = [ids | {"location_id": each["locationId"]} for each in (pantry, cellar)]
    new = [
        new_item(home.family_id, home.admin.member_id, {"name": f"Thing {n}", **given[n % 2]})
        for n in range(10)
    ]
    left = await batches.promise(home.running.db, home.family_id, new, [], ())
    for path in (f"/locations/{pantry['locationId']}", f"/stores/{market['storeId']}"):
        assert (await home.admin.delete(path)).status_code == 204
    await batches.finish(home.running.db, left)
    made = await everything(home)
    assert len(made) == 10
    for item in made:
        place = None if int(item["name"].split()[1]) % 2 == 0 else cellar["locationId"]
        assert item["locationId"] == place
        assert item["preferredStoreId"] is None
        assert item["alternateStoreIds"] == [corner["storeId"]]
    assert problem_of(await home.admin.delete(f"/stores/{corner['storeId']}")) == (409, "in_use")


async def test_a_place_that_is_asked_about_is_waited_for(home: Home) -> None:
    """While somebody tries to delete it, it is neither there nor gone."""
    pantry = await add_place(home.admin, "locations", "Pantry")
    await promised(home, 2, location_id=pantry["locationId"])
    key = StorageLocation.at(home.family_id, pantry["locationId"])
    db = home.running.db
    await db.change(key, lambda old: old.changed(closed_at=clock.timestamp()))
    (left,) = await left_to_make(db)
    making = asyncio.create_task(batches.finish(db, [left]))
    await asyncio.wait([making], timeout=0.1)
    assert await everything(home) == []
    await db.change(key, lambda old: old.changed(closed_at=None))
    await making
    assert [item["locationId"] for item in await everything(home)] == [pantry["locationId"]] * 2


async def test_a_barcode_of_what_is_still_to_come_is_in_use(home: Home) -> None:
    new = new_item(home.family_id, home.admin.member_id, {"name": "Rice", "barcodes": ["96385074"]})
    left = await batches.promise(home.running.db, home.family_id, [new], [], ())
    path = "/items/by-barcode/96385074"
    assert problem_of(await home.admin.get(path)) == (404, "not_found")
    late = asyncio.create_task(
        home.admin.post("/items", {"name": "Beans", "barcodes": ["96385074"]})
    )
    await asyncio.wait([late], timeout=0.05)
    await batches.finish(home.running.db, left)
    answer = await late
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"] == (await home.admin.get(path)).json()


async def test_the_worker_makes_what_a_process_left(home: Home) -> None:
    await promised(home, 30)

    async def is_done() -> bool:
        return await left_to_make(home.running.db) == []

    await eventually(is_done)
    assert len(await everything(home)) == 30
    assert await nothing_is_left(home)


async def test_a_family_that_goes_has_no_items_made(home: Home) -> None:
    db = home.running.db
    (item,) = await promised(home, 1, barcodes=["96385074"])
    left = await left_to_make(db)
    answer = await home.admin.delete("/me", {"password": home.admin.password})
    assert answer.status_code == 204
    for each in left:
        assert await attend_to(db, home.running.todos, each)
    assert await db.get(item.own_key()) is None
    assert await claims(home) == {}
    assert await db.all(InventoryItem.where(family_id=home.family_id).up_to_date()) == []
    assert await promised_items(db, home.family_id) is None


@pytest.mark.parametrize("looked", range(1, 9))
async def test_what_is_made_while_a_family_is_swept_away_goes_too(home: Home, looked: int) -> None:
    """At each of the first times when it is looked what there is to sweep away."""
    db, times = home.running.db, looked
    await promised(home, 1)
    (left,) = await left_to_make(db)

    async def make_it(moment: str, operation: str) -> None:
        nonlocal times
        if (moment, operation) == ("after", "query"):
            times -= 1
            if times == 0:
                await batches.make(db, left)

    services = home.running.app.state.services
    await sweep(replace(services, db=watched(db, make_it)), home.family_id)
    assert times <= 0
    assert await db.all(InventoryItem.where(family_id=home.family_id).up_to_date()) == []


async def test_it_counts_as_so_many_writes(database: Database, moment: Moment) -> None:
    async with running_app(database, limit_writes=Rate(120, 60)) as running:
        ada = (await new_home(running, "Home", "ada")).admin
        await add_all(ada, things(100))
        moment.pass_by(10)
        await add_all(ada, things(20), key="k")
        refused = await ada.post("/items/batch", {"items": things(1)})
        assert problem_of(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "50"
        moment.pass_by(50)
        refused = await ada.post("/items/batch", {"items": things(101)})
        assert problem_of(refused) == (400, "validation"), "which counts as one"
        refused = await ada.post("/items/batch", {"items": things(100)})
        assert problem_of(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "10", "that is when the twenty are forgotten"
        await add_all(ada, things(20), key="k")
        assert len(await every_page(ada, "/items", 100)) == 120
        await add_all(ada, things(97))


async def test_one_that_is_more_than_the_limit_goes_when_nothing_else_does(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_writes=Rate(10, 60)) as running:
        ada = (await new_home(running, "Home", "ada")).admin
        await add_item(ada)
        assert problem_of(await ada.post("/items/batch", {"items": things(30)})) == (
            429,
            "rate_limited",
        )
        moment.pass_by(60)
        assert len(await add_all(ada, things(30))) == 30
        assert problem_of(await ada.post("/items", {"name": "Rice"})) == (429, "rate_limited")


async def test_a_hundred_cost_few_transactions(home: Home) -> None:
    with counting(home.running.db) as spent:
        await add_all(home.admin, things(MANY))
    assert spent["transact"] == 1 + 4
    assert spent["query"] == spent["scan"] == 0


async def test_strangers_make_nothing(
    home: Home, kid: Person, gone: Person, running: RunningApp
) -> None:
    rice = await add_item(home.admin, barcodes=["96385074"])
    body = {"items": [{"name": "Peas", "itemId": rice["itemId"], "barcodes": ["96385074"]}]}
    nonsense = {"items": [{"name": ""}]}
    async with nothing_changes(home):
        for asked in (body, nonsense):
            for who, answer in (
                (running.visitor(), (401, "unauthenticated")),
                (kid, (403, "forbidden")),
                (gone, (403, "no_family")),
            ):
                assert problem_of(await who.post("/items/batch", asked)) == answer


async def test_who_is_no_admin_any_more_is_not_answered_again(home: Home) -> None:
    eve = await home.with_member("eve", "admin")
    await add_all(eve, things(2), key="k")
    member = await home.member(eve)
    demoted = {"role": "suggester", "version": member["version"]}
    answer = await home.admin.patch(f"/members/{eve.member_id}", demoted)
    assert answer.status_code == 200
    again = await eve.post("/items/batch", {"items": things(2)}, key="k")
    assert problem_of(again) == (403, "forbidden")
