"""Batch requests create all items or none, exactly once, like single requests."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from homeshelf.config import Rate
from homeshelf.coordination.changes import changes_since
from homeshelf.places.model import StorageLocation, Store
from homeshelf.table import Database
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    get_all_pages,
    get_open_notice,
    make_barcodes,
    nothing_changes,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home, new_home
from tests.inventory.batching import (
    add_all,
    all_items,
    barcode_holders,
    is_finished,
    item_bodies,
    with_ids,
)
from tests.moment import Moment
from tests.records import make_record
from tests.running import Person, RunningApp, problem_of, running_app

MANY = 100
NAME = "Name must be 1-100 characters"
ID = "Item ID must be a version 4 UUID"
V1 = "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d"


async def test_batch_creates_a_hundred_items_in_order(home: Home) -> None:
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
    asked = with_ids(item_bodies(MANY, **given))
    for item, code in zip(asked, make_barcodes(80), strict=False):
        item["barcodes"] = [code]
    made = await add_all(home.admin, asked)
    assert made == [is_ | said for is_, said in zip(made, asked, strict=True)]
    assert [item["isLowStock"] for item in made] == [place < 50 for place in range(MANY)]
    assert {item["createdBy"] for item in made} == {home.admin.member_id}
    stored = {item["itemId"]: item for item in await all_items(home)}
    assert stored == {item["itemId"]: item for item in made}
    assert await is_finished(home)
    assert await barcode_holders(home) == {it["barcodes"][0]: it["itemId"] for it in made[:80]}


async def test_batch_item_equals_single_item(home: Home) -> None:
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
        (only,) = await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 100)
        assert only.pop("at") == item["createdAt"]
        histories.append(only)
    begun = {"by": home.admin.member_id, "source": "created"}
    assert histories == [begun | {"delta": n, "quantity": n} for n in (1, 1, 9)]
    notice = await get_open_notice(home, two)
    assert notice is not None
    assert await get_open_notice(home, three) is None
    told = await changes_since(home.running.db, home.family_id, None)
    heard = {(c.type, id_, c.version) for c in told if c not in before for id_ in c.ids}
    assert heard == {
        ("InventoryItem", two["itemId"], 1),
        ("InventoryItem", three["itemId"], 1),
        ("Notification", notice["notificationId"], 1),
    }


async def test_batch_generates_missing_ids(home: Home) -> None:
    mine = str(uuid4())
    asked = [{"name": "Rice"}, {"name": "Beans", "itemId": mine.upper()}, {"name": "Peas"}]
    made = await add_all(home.admin, [*asked, {"name": "Oats", "itemId": None}])
    assert [item["name"] for item in made] == ["Rice", "Beans", "Peas", "Oats"]
    assert made[1]["itemId"] == mine
    assert len({item["itemId"] for item in made}) == 4
    assert {UUID(item["itemId"]).version for item in made} == {4}


WRONG_ALONE: list[tuple[Any, str, str]] = [
    ({}, "items", "Items must be a list of 1 to 100"),
    ({"items": None}, "items", "Items must be a list of 1 to 100"),
    ({"items": []}, "items", "Items must be a list of 1 to 100"),
    ({"items": {"name": "Rice"}}, "items", "Items must be a list of 1 to 100"),
    ({"items": item_bodies(101)}, "items", "Items must be a list of 1 to 100"),
    ({"items": ["Rice"]}, "items.0", "This must be a JSON object."),
    ({"items": [{"name": "Rice", "itemId": V1}]}, "items.0.itemId", ID),
    ({"items": [{"name": "Rice", "itemId": "x"}]}, "items.0.itemId", ID),
    ({"items": [{"name": "Rice", "version": 1}]}, "items.0.version", "There’s no such field."),
    ({"items": item_bodies(1), "force": True}, "force", "There’s no such field."),
]


@pytest.mark.parametrize(("body", "field", "message"), WRONG_ALONE)
async def test_invalid_value_is_reported_with_its_position(
    home: Home, body: Any, field: str, message: str
) -> None:
    answer = await home.admin.post("/items/batch", body)
    assert problem_of(answer) == (400, "validation")
    assert answer.json()["errors"] == [{"field": field, "message": message}]


async def test_all_invalid_fields_are_reported_and_no_item_is_created(home: Home) -> None:
    asked: list[Shown] = [{"name": "", "quantity": -1, "colour": "red"} for _ in range(MANY)]
    asked[3] = {"name": "Rice", "barcodes": ["96385074", "96385075"], "locationId": "x"}
    asked[4] = {"name": "Beans"}
    answer = await home.admin.post("/items/batch", {"items": asked}, key="k")
    assert problem_of(answer) == (400, "validation")
    named = {error["field"]: error["message"] for error in answer.json()["errors"]}
    assert len(named) == 3 * (MANY - 2) + 2
    assert named["items.0.name"] == named["items.99.name"] == NAME
    assert named["items.99.colour"] == "There’s no such field."
    assert {name for name in named if name.startswith("items.3.")} == {
        "items.3.barcodes.1",
        "items.3.locationId",
    }
    assert await all_items(home) == []
    assert await barcode_holders(home) == {}


async def test_ids_and_codes_shared_within_batch_are_reported(home: Home) -> None:
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
    assert await all_items(home) == []


async def test_batch_accepts_at_most_eighty_barcodes(home: Home) -> None:
    codes = make_barcodes(81)
    asked = [
        item | {"barcodes": codes[place * 10 : place * 10 + 10]}
        for place, item in enumerate(item_bodies(MANY))
    ]
    answer = await home.admin.post("/items/batch", {"items": asked}, key="k")
    assert problem_of(answer) == (400, "validation")
    assert answer.json()["errors"] == [
        {"field": "items", "message": "Use at most 80 barcodes in total"}
    ]
    del asked[8]["barcodes"]
    await add_all(home.admin, asked, key="k")
    assert await barcode_holders(home) == {
        code: item["itemId"] for item in await all_items(home) for code in item["barcodes"]
    }


async def test_batch_of_largest_items_is_created(home: Home) -> None:
    """A transaction holds three such items: each is low and refers to 22 places."""
    asked = []
    for number in range(8):
        of = {"family_id": home.family_id, "created_at": "", "updated_at": ""}
        shops = [
            make_record(Store, store_id=str(uuid4()), name=f"{number} {n}", **of) for n in range(21)
        ]
        location = make_record(StorageLocation, location_id=str(uuid4()), name=str(number), **of)
        await home.running.db.batch([place.put() for place in (*shops, location)])
        asked.append(
            {
                "name": "x" * 100,
                "threshold": 1,
                "locationId": location.location_id,
                "preferredStoreId": shops[0].store_id,
                "alternateStoreIds": [shop.store_id for shop in shops[1:]],
                "barcodes": make_barcodes(10, number * 10),
            }
        )
    items = await add_all(home.admin, asked)
    assert items == [is_ | said for is_, said in zip(items, asked, strict=True)]
    for item in items:
        assert await get_open_notice(home, item) is not None


async def test_batch_transactions_stay_within_write_limit(home: Home) -> None:
    """Sixteen low items are 96 writes, and another item is two more."""
    asked = [*item_bodies(17, threshold=99)[1:], *item_bodies(8)]
    assert len(await add_all(home.admin, asked)) == 24
    assert len(await get_all_pages(home.admin, "/notifications", 100)) == 16


async def test_unknown_place_returns_404(home: Home, neighbour: Person) -> None:
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
        asked = [*item_bodies(30), {"name": "Rice", "barcodes": ["96385074"], **named}]
        answer = await home.admin.post("/items/batch", {"items": asked})
        assert problem_of(answer) == (404, "not_found")
        assert answer.json()["detail"] == "There’s no such place."
    assert (await all_items(home), await barcode_holders(home)) == ([], {})


async def test_batch_counts_each_item_towards_write_limit(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_writes=Rate(120, 60)) as running:
        ada = (await new_home(running, "Home", "ada")).admin
        await add_all(ada, item_bodies(100))
        moment.pass_by(10)
        await add_all(ada, item_bodies(20), key="k")
        refused = await ada.post("/items/batch", {"items": item_bodies(1)})
        assert problem_of(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "50"
        moment.pass_by(50)
        refused = await ada.post("/items/batch", {"items": item_bodies(101)})
        assert problem_of(refused) == (400, "validation"), "which counts as one"
        refused = await ada.post("/items/batch", {"items": item_bodies(100)})
        assert problem_of(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "10", "that is when the twenty are forgotten"
        await add_all(ada, item_bodies(20), key="k")
        assert len(await get_all_pages(ada, "/items", 100)) == 120
        await add_all(ada, item_bodies(97))


async def test_batch_above_limit_is_accepted_on_full_allowance(
    database: Database, moment: Moment
) -> None:
    async with running_app(database, limit_writes=Rate(10, 60)) as running:
        ada = (await new_home(running, "Home", "ada")).admin
        await add_item(ada)
        assert problem_of(await ada.post("/items/batch", {"items": item_bodies(30)})) == (
            429,
            "rate_limited",
        )
        moment.pass_by(60)
        assert len(await add_all(ada, item_bodies(30))) == 30
        assert problem_of(await ada.post("/items", {"name": "Rice"})) == (429, "rate_limited")


async def test_hundred_items_cost_few_transactions(home: Home) -> None:
    with count_operations(home.running.db) as spent:
        await add_all(home.admin, item_bodies(MANY))
    assert spent["transact"] == 1 + 4
    assert spent["query"] == spent["scan"] == 0


async def test_anonymous_clients_create_no_items(
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


async def test_former_admin_gets_no_replay(home: Home) -> None:
    eve = await home.with_member("eve", "admin")
    await add_all(eve, item_bodies(2), key="k")
    member = await home.member(eve)
    demoted = {"role": "suggester", "version": member["version"]}
    answer = await home.admin.patch(f"/members/{eve.member_id}", demoted)
    assert answer.status_code == 200
    again = await eve.post("/items/batch", {"items": item_bodies(2)}, key="k")
    assert problem_of(again) == (403, "forbidden")
