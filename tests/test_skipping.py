"""Test that unreadable records are left out of lists and reported by commands."""

import re
from typing import Any

import pytest
from structlog.testing import capture_logs

from homeshelf.accounts.model import Account
from homeshelf.commands.findings import records_findings
from homeshelf.coordination.todos import Todo, todo
from homeshelf.families.model import Family, Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import INVENTORY, Database, Record, Unreadable
from homeshelf.table.operations import Key, Put, item_key
from homeshelf.taps.model import NFCUrl
from tests.api_client import add_item
from tests.home import Home, new_home
from tests.queues import do_what_is_due
from tests.records import make_record
from tests.running import PASSWORD, Person, RunningApp, problem_of, running_app
from tests.table.faulty_engines import damage_records, warp

SECRET = "nobody's business"


def entries(count: int, family_id: str = "f") -> list[ShoppingListItem]:
    return [
        make_record(
            ShoppingListItem,
            family_id=family_id,
            shopping_item_id=f"{number:02}",
            name=f"Thing {number:02}",
            ttl=None,
        )
        for number in range(count)
    ]


@pytest.fixture
async def warped(database: Database) -> list[ShoppingListItem]:
    written = entries(12)
    await database.batch([entry.put() for entry in written])
    for number in (0, 4, 5, 6):
        await warp(database, written[number].own_key(), name={"secret": SECRET})
    return [entry for number, entry in enumerate(written) if number not in (0, 4, 5, 6)]


@pytest.mark.parametrize("limit", [1, 2, 3, 8, 9])
async def test_pages_are_full_without_unreadable_records(
    database: Database, warped: list[ShoppingListItem], limit: int
) -> None:
    query = ShoppingListItem.where(family_id="f").up_to_date()
    found: list[ShoppingListItem] = []
    start = None
    while True:
        page = await database.query(query.page(limit, start))
        found += page.items
        if (start := page.next) is None:
            break
        assert len(page.items) == limit
    assert found == warped
    assert await database.first(query) == warped[0]
    assert await database.all(query) == warped
    assert await database.count(query) == 12


async def test_unreadable_record_is_logged_and_counted(
    database: Database, warped: list[ShoppingListItem]
) -> None:
    counted: list[Unreadable] = []
    database.on_unreadable = counted.append
    with capture_logs() as logs:
        assert await database.all(ShoppingListItem.where(family_id="f")) == warped
    assert [line["event"] for line in logs] == ["record_unreadable"] * 4
    assert [line["key"] for line in logs] == [each.digest for each in counted]
    assert logs[0]["why"] == "name (string_type)"
    assert len({each.digest for each in counted}) == 4
    assert not any(told in str(logs) for told in (SECRET, "FAMILY#f", "SHOPPING#00"))


async def test_reading_an_unreadable_record_raises(
    database: Database, warped: list[ShoppingListItem]
) -> None:
    key, good = entries(1)[0].own_key(), warped[0]
    with capture_logs() as logs, pytest.raises(Unreadable) as error:
        await database.get(key)
    assert [line["key"] for line in logs] == [error.value.digest]
    with pytest.raises(Unreadable):
        await database.get_many([key, good.own_key()])
    assert await database.get_many([key, good.own_key()], skip=True) == [None, good]
    nowhere = ShoppingListItem.key(family_id="f", shopping_item_id="nowhere")
    assert await database.get_existing([key, nowhere, good.own_key(), good.own_key()]) == [good]
    with pytest.raises(Unreadable):
        await database.change(key, lambda entry: entry)
    with pytest.raises(Unreadable):
        await database.all(ShoppingListItem.where(family_id="f"), skip=False)


async def test_item_that_the_engine_cannot_read_is_skipped(
    database: Database, warped: list[ShoppingListItem]
) -> None:
    bad, *good = warped
    await damage_records(database.engine, [bad.own_key()])
    query = ShoppingListItem.where(family_id="f").up_to_date()
    with capture_logs() as logs:
        assert await database.all(query) == good
    assert len(logs) == 5
    keys = [entry.own_key() for entry in warped]
    assert await database.get_many(keys, skip=True) == [None, *good]
    with pytest.raises(Unreadable):
        await database.get_many(keys)
    with pytest.raises(Unreadable):
        await database.get(bad.own_key())


async def test_failing_predicate_skips_the_record(
    database: Database, warped: list[ShoppingListItem]
) -> None:
    def stumbles(item: Any) -> bool:
        return bool(item["name"].endswith("7"))

    query = ShoppingListItem.where(family_id="f").up_to_date()
    found = await database.all(query.matching(stumbles))
    assert found == [entry for entry in warped if entry.name == "Thing 07"]
    assert await database.count(query.matching(stumbles)) == 5, "it may be one"
    with pytest.raises(ZeroDivisionError):
        await database.all(query.matching(lambda item: bool(len(item) / 0)))


async def test_unreadable_record_is_deleted_with_the_others(
    database: Database, warped: list[ShoppingListItem]
) -> None:
    await damage_records(database.engine, [warped[0].own_key()])
    query = ShoppingListItem.where(family_id="f")
    await database.clear(query)
    page = await database.engine.query(query.up_to_date())
    assert (page.items, page.unreadable) == ([], [])


async def test_work_queue_skips_unreadable_records(database: Database) -> None:
    left = [todo("sweep", {"number": number}) for number in range(3)]
    await database.batch([each.put() for each in left])
    await warp(database, left[0].own_key(), about=SECRET)
    done: list[int] = []

    async def sweep(_db: Database, each: Todo) -> None:
        done.append(each.about["number"])

    assert await do_what_is_due(database, {"sweep": sweep}) == 2
    assert sorted(done) == [1, 2]


@pytest.mark.parametrize("path", ["/items", "/items?status=all", "/items?search=tea"])
async def test_api_list_skips_unreadable_records(home: Home, path: str) -> None:
    milk, tea = [await add_item(home.admin, name=name) for name in ("Milk", "Tea")]
    key = InventoryItem.key(family_id=home.family_id, item_id=milk["itemId"])
    await warp(home.running.db, key, name=None)
    answer = await home.admin.get(path)
    assert [item["itemId"] for item in answer.json()["items"]] == [tea["itemId"]]
    for page in ("/", "/stock", "/list"):
        shown = await home.admin.client.get(page, headers={"accept": "text/html"})
        assert shown.status_code == 200
    one = await home.admin.get(f"/items/{milk['itemId']}")
    assert problem_of(one) == (422, "unreadable")
    change = {"name": "Oat milk", "version": 1}
    refused = await home.admin.patch(f"/items/{milk['itemId']}", change)
    assert problem_of(refused) == (422, "unreadable")
    assert SECRET not in one.text


@pytest.mark.parametrize("kind", [Account, Member])
async def test_unreadable_account_cannot_sign_in(home: Home, kind: type[Record]) -> None:
    bob = await home.with_member("bob", "suggester")
    keys: dict[type[Record], Key[Any]] = {
        Account: Account.key(member_id=bob.member_id),
        Member: Member.key(family_id=home.family_id, member_id=bob.member_id),
    }
    await warp(home.running.db, keys[kind], name=None, role="admin")
    for path in ("/family", "/items", "/members", "/invitations"):
        answer = await bob.get(path)
        assert answer.status_code == 500
        assert "items" not in answer.json()
    everyone = (await home.admin.get("/members")).json()["items"]
    assert len(everyone) == (1 if kind is Member else 2)


async def test_unreadable_membership_keeps_the_others(running: RunningApp, home: Home) -> None:
    other = await new_home(running, "Babbage", "charles")
    bob = await home.with_member("bob", "admin")
    await other.let_in(bob, "suggester")
    key = Member.key(family_id=other.family_id, member_id=bob.member_id)
    await warp(running.db, key, role="butler")
    me = (await bob.get("/me")).json()
    assert [each["familyId"] for each in me["families"]] == [home.family_id]
    chosen = {"homeshelf-family": home.family_id}
    assert (await bob.get("/family", headers=chosen)).json() == home.family
    assert (await bob.delete("/me", {"password": PASSWORD})).status_code == 500, "half is left"
    assert (await bob.get("/me")).status_code == 200


async def test_family_with_an_unreadable_member_is_not_empty(home: Home, kid: Person) -> None:
    key = Member.key(family_id=home.family_id, member_id=kid.member_id)
    await warp(home.running.db, key, name=7)
    answer = await home.admin.delete("/me", {"password": PASSWORD})
    assert answer.status_code == 500
    assert await home.running.db.get(Family.key(family_id=home.family_id)) is not None


async def test_metrics_count_unreadable_records(database: Database) -> None:
    async with running_app(database, metrics="anyone") as running:
        home = await new_home(running, "Lovelace", "ada")
        milk = await add_item(home.admin, name="Milk")
        key = InventoryItem.key(family_id=home.family_id, item_id=milk["itemId"])
        await warp(database, key, quantity="many")
        before = await unreadable_now(running)
        assert (await home.admin.get("/items")).json() == {"items": []}
        assert await unreadable_now(running) == before + 1


async def unreadable_now(running: RunningApp) -> float:
    lines = (await running.visitor().client.get("/metrics")).text.splitlines()
    name = 'homeshelf_unreadable_records_total{table="InventoryManagement"} '
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))


async def test_doctor_finds_unreadable_records(home: Home, kid: Person) -> None:
    db = home.running.db
    ((_, text, well),) = [finding async for finding in records_findings(db, {})]
    assert (text.endswith(" can be read."), well) == (True, True)
    milk, tea = [await add_item(home.admin, name=name) for name in ("Milk", "Tea")]
    tag = make_record(NFCUrl, family_id=home.family_id, item_id=milk["itemId"], url_id="tapaddress")
    foreign = item_key(INVENTORY, "SOMETHING#else", "SOMETHING#else")
    await db.batch([tag.put(), Put(INVENTORY, {**foreign.attributes, "name": 5})])
    keys = [InventoryItem.key(family_id=home.family_id, item_id=i["itemId"]) for i in (milk, tea)]
    await warp(db, keys[0], quantity=SECRET)
    await warp(db, tag.own_key(), isActive=SECRET)
    await damage_records(db.engine, [keys[1], Account.key(member_id=kid.member_id)])
    ((_, text, well),) = [finding async for finding in records_findings(db, {})]
    assert not well
    assert re.match(r"4 of [1-9]\d* cannot be read: ", text)
    for key in keys:
        assert f"{key.partition} {key.sort} in InventoryManagement (" in text
    assert "(quantity (int_type))" in text or "(quantity (int_parsing))" in text
    assert SECRET not in text
    assert "tapaddress" not in text
