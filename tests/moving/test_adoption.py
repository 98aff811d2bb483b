"""Test the records that `homeshelf adopt` adds to foreign tables, and its remarks."""

from itertools import groupby

from homeshelf.app import SLICES
from homeshelf.commands.findings import records_findings
from homeshelf.families.model import Family
from homeshelf.moving.adoption import AdoptionRun
from homeshelf.table import (
    BOOKS,
    HELPER,
    INVENTORY,
    SHAREABLES,
    Database,
    Delete,
    Put,
    Table,
    Update,
    Write,
)
from homeshelf.table.limits import row_key
from tests.home import Home, ids
from tests.moving.foreign_tables import (
    FAMILY,
    JOHN,
    JOHNS_ADDRESS,
    LOW,
    MILK,
    OTHER_FAMILY,
    TIM,
    TOWELS,
    WRITES,
    Raw,
    adopt,
    all_records,
    entry,
    family_record,
    import_time,
    large_family,
    member,
    notice,
    place,
    silent,
    smiths,
    thing,
    write_raw,
)
from tests.moving.households import sign_in_member
from tests.running import Visitor, problem_of, running_app

__all__ = ["import_time"]


async def test_adoption_keeps_all_attributes_and_adds_four(database: Database) -> None:
    records = [*smiths(), *large_family(OTHER_FAMILY, 1000)]
    await write_raw(database, records)
    before = await all_records(database)
    await adopt(database)
    after = await all_records(database)
    added: set[str] = set()
    for key, item in before.items():
        assert {name: after[key][name] for name in item} == dict(item)
        added |= {f"{key.table.name} {name}" for name in after[key].keys() - item.keys()}
    assert added == {
        "InventoryManagement admins",
        "Shareables ttl",
        "BookTrackerTable gsi1pk",
        "BookTrackerTable gsi1sk",
    }
    counts = [after[Family.key(family_id=each)]["admins"] for each in (FAMILY, OTHER_FAMILY)]
    assert counts == [1, 1]


async def test_second_adoption_writes_nothing(database: Database) -> None:
    await write_raw(database, [*smiths(), *large_family(OTHER_FAMILY, 1000)])
    done = await adopt(database)
    assert done.made.total() > 500
    after = await all_records(database)
    before = {name: database.engine.consumed[name] for name in WRITES}
    again = await adopt(database)
    assert again.made.total() == 0
    assert {name: database.engine.consumed[name] for name in WRITES} == before
    assert await all_records(database) == after


async def test_claims_are_written_before_the_records_they_belong_to(database: Database) -> None:
    """The doctor looks at the records only, and must not find half a family complete."""
    await write_raw(database, smiths())
    order: list[Table] = []
    really, transact = database.write, database.transact

    async def written(write: Put | Update | Delete) -> None:
        await really(write)
        order.append(row_key(write)[0])

    async def written_together(*several: Write) -> None:
        await transact(*several)
        order.extend(row_key(one)[0] for one in several)

    database.write = written  # type: ignore[method-assign]
    database.transact = written_together  # type: ignore[method-assign]
    await adopt(database)
    tables = [table for table, _ in groupby(order)]
    assert tables == [HELPER, INVENTORY, HELPER, SHAREABLES, BOOKS]


async def test_preview_writes_nothing_and_matches_the_adoption(database: Database) -> None:
    await write_raw(database, [*smiths(), member(OTHER_FAMILY, JOHN, "J", "admin", None)])
    before = await all_records(database)
    looked = await AdoptionRun(database, SLICES).preview(silent)
    assert await all_records(database) == before
    assert await adopt(database) == looked


async def test_house_made_by_homeshelf_needs_no_adoption(home: Home, kid: Visitor) -> None:  # noqa: ARG001
    for name in ("Rice", "Oats"):
        made = await home.admin.post("/items", {"name": name, "quantity": 1, "threshold": 3})
        await home.admin.post("/shopping-list", {"itemId": made.json()["itemId"]})
    await home.admin.post("/stores", {"name": "Market"})
    await home.admin.post("/books", {"title": "The Hobbit"})
    await home.admin.post("/shareables", {"name": "Camping", "items": [{"name": "Tent"}]})
    await home.invite("gran@home.local")
    found = await AdoptionRun(home.running.db, SLICES).preview(silent)
    assert (found.made, list(found.remarks)) == ({}, [])


TWINS: list[Raw] = [
    place(FAMILY, "Store", "923e4567-e89b-12d3-a456-426614174000", " MARKET "),
    entry(FAMILY, "9f14e45f-ceea-467a-9b36-34f6c3b3e7ff", TOWELS, "Paper Towels"),
    notice(FAMILY, "9f14e45f-ceea-467a-9b36-34f6c3b3e7fe", LOW, "Rice", 1, 3),
    thing(FAMILY, "9ba7b810-9dad-11d1-80b4-00c04fd430c9", "UHT", 1, 0, barcodes=["4006381333931"]),
    member(OTHER_FAMILY, TIM[:-1] + "9", "Jack", "admin", JOHNS_ADDRESS.lower()),
    family_record(OTHER_FAMILY, "Doe", by=JOHN),
]


async def test_duplicates_stay_and_are_reported(database: Database) -> None:
    await write_raw(database, [*smiths(), *TWINS])
    said = "\n".join((await adopt(database)).remarks)
    assert f"Family {FAMILY} has two stores with the name market: both stay" in said
    assert f"has 2 entries waiting for the thing {TOWELS}: all stay." in said
    assert f"Family {FAMILY} has 2 open notices about Rice: all stay" in said
    assert "has two things with the barcode 4006381333931: both keep it" in said
    assert "Somebody else here has the address " in said
    async with running_app(database) as running:
        john = await sign_in_member(running, JOHN)
        for _, item in TWINS[:1]:
            path = f"/stores/{item['storeId']}"
            renamed = await john.patch(path, {"name": "Corner shop", "version": 1})
            assert renamed.status_code == 200, renamed.text
        assert problem_of(await john.post("/stores", {"name": "Market"})) == (409, "duplicate")
        uht = f"/items/{TWINS[3][1]['itemId']}"
        assert (await john.patch(uht, {"barcodes": [], "version": 1})).status_code == 200
        assert (await john.get("/items/by-barcode/4006381333931")).json()["itemId"] == MILK
        assert (await john.post(f"/items/{LOW}/adjust", {"delta": 5})).status_code == 200
        assert ids(await john.get("/notifications?status=active"), "notificationId") == []
        assert len(ids(await john.get("/shopping-list?status=pending"), "shoppingItemId")) == 3


async def test_second_notice_is_resolved_with_the_first(database: Database) -> None:
    await write_raw(database, smiths())
    await adopt(database)
    await write_raw(database, [TWINS[2]])
    await adopt(database)
    async with running_app(database) as running:
        john = await sign_in_member(running, JOHN)
        assert len(ids(await john.get("/notifications?status=active"), "notificationId")) == 2
        assert (await john.post(f"/items/{LOW}/adjust", {"delta": 5})).status_code == 200
        assert ids(await john.get("/notifications?status=active"), "notificationId") == []


async def test_stale_notice_does_not_block_a_new_one(database: Database) -> None:
    stale = notice(FAMILY, "9f14e45f-ceea-467a-9b36-34f6c3b3e7fe", MILK, "Milk", 0, 1)
    await write_raw(database, [*smiths(), stale])
    await write_raw(database, [thing(FAMILY, MILK, "Milk", 5, 2)])
    await adopt(database)
    async with running_app(database) as running:
        john = await sign_in_member(running, JOHN)
        down = await john.post(f"/items/{MILK}/adjust", {"delta": -4})
        assert down.status_code == 200, down.text
        found = (await john.get("/notifications?status=active")).json()["items"]
        assert sorted(each["itemName"] for each in found) == ["Milk", "Rice"]
        assert stale[1]["notificationId"] not in {each["notificationId"] for each in found}


async def test_unreadable_and_misplaced_records_are_skipped_and_reported(
    database: Database,
) -> None:
    broken = thing(FAMILY, "9ba7b810-9dad-11d1-80b4-00c04fd430c9", "Odd", 1, 0)
    broken[1]["quantity"] = "many"
    nameless = place(FAMILY, "Store", "923e4567-e89b-12d3-a456-426614174000", "")
    misplaced = thing(FAMILY, "9ba7b810-9dad-11d1-80b4-00c04fd430c8", "Odd", 1, 0)
    misplaced[1]["itemId"] = MILK
    await write_raw(database, [*smiths(), broken, nameless, misplaced])
    said = "\n".join((await adopt(database)).remarks)
    assert "Some records cannot be read" in said
    assert "Some records stand at keys that are not theirs" in said
    again = await AdoptionRun(database, SLICES).preview(silent)
    assert again.made == {}


async def test_doctor_reports_adoption_until_it_is_done(database: Database) -> None:
    adopted_by = {kind: name for each in SLICES for kind, name in each.adopted_by.items()}

    async def said() -> list[str]:
        return [what async for what, _, well in records_findings(database, adopted_by) if not well]

    await write_raw(database, smiths())
    assert await said() == ["adopting"]
    await adopt(database)
    assert await said() == []
