"""Test adoption on a server that checks signatures and whose indexes lag."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from homeshelf.notices.model import Notification
from homeshelf.table import Database
from tests.api_client import wait_until
from tests.home import ids
from tests.moving.foreign_tables import (
    EMMA,
    FAMILY,
    INVITATION,
    INVITED,
    JOHN,
    JOHNS_ADDRESS,
    LIST,
    LOW,
    MARKET,
    MILK,
    NOTICE,
    OTHER_FAMILY,
    TAG,
    TOWELS,
    WAITING,
    WRITES,
    adopt,
    all_records,
    large_family,
    unexpired_smiths,
    write_raw,
)
from tests.moving.households import sign_in_member
from tests.running import PASSWORD, RunningApp, Visitor, problem_of, running_app

WISHES = ("af14e45f-ceea-467a-9b36-34f6c3b3e7d3", "bf14e45f-ceea-467a-9b36-34f6c3b3e7d4")
FIRST = "00000000-0000-4000-8000-000000000001"
"""The id of an item of the large family with a notice and a pending entry."""

on_extenddb = pytest.mark.parametrize("open_another", ["extenddb"], indirect=True)


@on_extenddb
async def test_documented_examples_work_right_after_adoption(database: Database) -> None:
    await write_raw(database, unexpired_smiths())
    async with running_app(database) as running:
        async with assert_second_adoption_writes_nothing(database):
            await adopt(database)
        await assert_strangers_have_no_access(running)
        john, emma = await sign_in_member(running, JOHN), await sign_in_member(running, EMMA)
        home = {"familyId": FAMILY, "name": "Smith", "role": "admin"}
        assert (await john.get("/me")).json()["families"] == [home]
        await use_the_list(john)
        await use_the_notice(john, database)
        await use_places(john)
        await grant_wishes(john, emma)
        await use_the_tag(running, john)
        await invite(running, john)
        await wait_for_indexes(john)


@on_extenddb
@pytest.mark.parametrize("records", [200, pytest.param(1000, marks=pytest.mark.torture)])
async def test_large_family_works_right_after_adoption(database: Database, records: int) -> None:
    await write_raw(database, large_family(OTHER_FAMILY, records))
    before = await all_records(database)
    async with assert_second_adoption_writes_nothing(database):
        assert (await adopt(database)).made.total() > records / 2
    after = await all_records(database)
    for key, item in before.items():
        assert {name: after[key][name] for name in item} == dict(item)
    async with running_app(database) as running:
        john = await sign_in_member(running, JOHN)
        twice = await john.post("/shopping-list", {"itemId": FIRST})
        assert problem_of(twice) == (409, "duplicate")
        assert problem_of(await john.post("/locations", {"name": "place 1"})) == (409, "duplicate")
        assert (await john.post(f"/items/{FIRST}/adjust", {"delta": -1})).status_code == 200
        about = [each for each in await notices(database, OTHER_FAMILY) if each.item_id == FIRST]
        assert [each.status for each in about] == ["active"]


@asynccontextmanager
async def assert_second_adoption_writes_nothing(database: Database) -> AsyncIterator[None]:
    """Assert that a second adoption after the block changes nothing."""
    yield
    after = await all_records(database)
    before = {name: database.engine.consumed[name] for name in WRITES}
    assert (await adopt(database)).made.total() == 0
    assert {name: database.engine.consumed[name] for name in WRITES} == before
    assert await all_records(database) == after


async def assert_strangers_have_no_access(running: RunningApp) -> None:
    eve = await running.person("eve")
    assert problem_of(await eve.get("/items", headers={"X-Family-Id": FAMILY}))[0] in (403, 404)
    wanted = {"email": JOHNS_ADDRESS.lower(), "password": PASSWORD, "name": "John"}
    assert problem_of(await running.visitor().post("/accounts", wanted)) == (409, "duplicate")
    opened = await running.visitor().post(f"/shareables/{LIST}/unlock", {"passcode": "****"})
    assert opened.status_code == 401


async def use_the_list(john: Visitor) -> None:
    twice = await john.post("/shopping-list", {"itemId": TOWELS})
    assert twice.json()["existing"]["shoppingItemId"] == WAITING
    path = f"/shopping-list/{WAITING}"
    bought = await john.patch(f"{path}/status", {"status": "purchased", "version": 1})
    assert bought.status_code == 200, bought.text
    assert (await john.post(f"{path}/put-away", {"version": 2})).status_code == 200
    assert (await john.get(f"/items/{TOWELS}")).json()["quantity"] == 6


async def use_the_notice(john: Visitor, database: Database) -> None:
    for delta, statuses in {5: ["resolved"], -5: ["active", "resolved"]}.items():
        assert (await john.post(f"/items/{LOW}/adjust", {"delta": delta})).status_code == 200
        found = [each for each in await notices(database, FAMILY) if each.item_id == LOW]
        assert sorted(each.status for each in found) == statuses
        assert {each.status for each in found if each.notification_id == NOTICE} == {"resolved"}


async def notices(database: Database, family_id: str) -> Sequence[Notification]:
    return await database.all(Notification.where(family_id=family_id).up_to_date())


async def use_places(john: Visitor) -> None:
    assert problem_of(await john.post("/stores", {"name": "market"})) == (409, "duplicate")
    renamed = await john.patch(f"/stores/{MARKET}", {"name": "Another", "version": 1})
    assert (renamed.status_code, renamed.json()["version"]) == (200, 2), renamed.text
    assert (await john.post("/stores", {"name": "market"})).status_code == 201
    oats = {"name": "Oats", "barcodes": ["4006381333931"]}
    assert problem_of(await john.post("/items", oats)) == (409, "duplicate")


async def grant_wishes(john: Visitor, emma: Visitor) -> None:
    for wish in WISHES:
        path = f"/suggestions/{wish}/approve"
        assert problem_of(await emma.post(path, {"version": 1}))[0] == 403
        assert (await john.post(path, {"version": 1})).status_code == 200
        assert (await john.post(path, {"version": 1})).status_code == 409


async def use_the_tag(running: RunningApp, john: Visitor) -> None:
    tapped = await running.visitor().post(f"/taps/{TAG}", {"delta": -1})
    assert (tapped.status_code, tapped.json()["quantity"]) == (200, 4), tapped.text
    assert (await john.post(f"/nfc-urls/{TAG}/rotate")).is_success
    assert (await running.visitor().post(f"/taps/{TAG}", {"delta": -1})).status_code == 404


async def invite(running: RunningApp, john: Visitor) -> None:
    twice = await john.post("/invitations", {"email": INVITED.upper(), "role": "suggester"})
    assert problem_of(twice) == (409, "duplicate")
    again = await john.post(f"/invitations/{INVITATION}/resend")
    gran = await running.person("gran")
    token = {"token": again.json()["link"].rpartition("/")[2]}
    assert (await gran.post("/invitations/accept", token)).status_code == 200
    assert [each["role"] for each in (await gran.get("/me")).json()["families"]] == ["admin"]
    alone = await john.patch(f"/members/{JOHN}", {"role": "suggester", "version": 1})
    assert alone.status_code == 200, "there are two parents now"


async def wait_for_indexes(john: Visitor) -> None:
    """Wait until the reads of every index return the expected records."""

    async def shown() -> bool:
        books = (await john.get("/books?status=READING")).json()["items"]
        stock = ids(await john.get("/items"), "itemId")
        low = (await john.get("/notifications?status=active")).json()["items"]
        waiting = (await john.get("/suggestions?status=pending")).json()["suggestions"]
        return (
            [each["title"] for each in books] == ["The Hobbit"]
            and {TOWELS, MILK, LOW} < set(stock)
            and [each["itemId"] for each in low] == [LOW]
            and waiting == []
        )

    await wait_until(shown)
