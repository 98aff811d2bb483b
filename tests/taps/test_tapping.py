"""Test that a client with a tag's address can see and adjust one item, and nothing else."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from homeshelf.config.values import Rate
from homeshelf.errors import NotFound
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import key_of
from homeshelf.table import Database
from homeshelf.taps import store
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.store import find_active_tag
from tests.api_client import (
    Shown,
    add_item,
    adjust,
    edit_item,
    get_all_pages,
    get_item,
    get_open_notice,
    set_archived,
)
from tests.costs import count_operations
from tests.home import Home, new_home
from tests.moment import Moment
from tests.records import make_record
from tests.running import RunningApp, Visitor, problem_of, running_app
from tests.taps.tags import make_dead_tags, make_tag, rotate, stored, tap


@pytest.fixture
def anonymous_client(home: Home) -> Visitor:
    """An anonymous client."""
    return home.running.visitor("198.51.100.1")


@pytest.fixture
async def app_without_tap_limits(database: Database) -> AsyncIterator[RunningApp]:
    """An app without limits on taps."""
    often = Rate(100_000, 10)
    async with running_app(database, limit_taps=often, limit_taps_day=often) as running:
        yield running


async def test_get_shows_item_and_counts_nothing(
    home: Home, anonymous_client: Visitor, tag: Shown
) -> None:
    answer = await anonymous_client.get(f"/taps/{tag['urlId']}")
    assert answer.json() == {"itemName": "Paper Towels", "quantity": 4, "unit": None}
    assert (await stored(home, tag)).access_count == 0


async def test_tap_subtracts_one(
    home: Home, anonymous_client: Visitor, towels: Shown, tag: Shown
) -> None:
    answer = await tap(anonymous_client, tag)
    assert answer.json() == {
        "itemName": "Paper Towels",
        "quantity": 3,
        "applied": -1,
        "message": "Took 1 Paper Towels, 3 left",
    }
    (made, *_) = await get_all_pages(home.admin, f"/items/{towels['itemId']}/history", 10)
    assert made == {
        "at": made["at"],
        "by": None,
        "source": "tap",
        "delta": -1,
        "quantity": 3,
    }


async def test_message_describes_the_tap(home: Home, anonymous_client: Visitor, tag: Shown) -> None:
    async def tap_result(delta: int, **more: object) -> tuple[int, str]:
        answer = (await tap(anonymous_client, tag, delta, **more)).json()
        return answer["applied"], answer["message"]

    assert await tap_result(1) == (1, "Added 1 Paper Towels, 5 left")
    assert await tap_result(1) == (1, "Added 1 Paper Towels, 6 left")
    assert await tap_result(-2, undo=True) == (-2, "Took 2 Paper Towels back, 4 left")
    assert await tap_result(-20) == (-4, "Took 4 Paper Towels, 0 left")
    assert await tap_result(-1) == (0, "Paper Towels: already at 0")
    assert await tap_result(1, undo=True) == (1, "Put 1 Paper Towels back, 1 left")
    assert await tap_result(3, undo=True) == (3, "Put 3 Paper Towels back, 4 left")
    rolls = await add_item(home.admin, name="Foil", quantity=2, unit="rolls")
    tag = await make_tag(home.admin, rolls)
    assert await tap_result(-1) == (-1, "Took 1 Foil, 1 rolls left")


async def test_undo_has_its_own_history_source(
    home: Home, anonymous_client: Visitor, towels: Shown, tag: Shown
) -> None:
    await tap(anonymous_client, tag, -1)
    await tap(anonymous_client, tag, 1, undo=True)
    history = await get_all_pages(home.admin, f"/items/{towels['itemId']}/history", 10)
    assert [(each["source"], each["delta"]) for each in history] == [
        ("undo", 1),
        ("tap", -1),
        ("created", 4),
    ]


@pytest.mark.parametrize("delta", [0, 21, -21, "1", True, 1.5, None])
async def test_tap_delta_is_limited(anonymous_client: Visitor, tag: Shown, delta: object) -> None:
    answer = await anonymous_client.post(f"/taps/{tag['urlId']}", {"delta": delta})
    assert answer.json()["errors"] == [
        {"field": "delta", "message": "Delta must be from -20 to 20, but not 0"}
    ]


async def test_tap_below_threshold_opens_notice(home: Home, anonymous_client: Visitor) -> None:
    rice = await add_item(home.admin, quantity=2, threshold=2)
    tag = await make_tag(home.admin, rice)
    await tap(anonymous_client, tag, -1)
    assert await get_open_notice(home, rice) is not None
    await tap(anonymous_client, tag, 1)
    assert await get_open_notice(home, rice) is None


async def test_tap_shows_current_item_name(
    home: Home, anonymous_client: Visitor, towels: Shown
) -> None:
    tag = await make_tag(home.admin, towels)
    await edit_item(home.admin, towels, name="Kitchen Roll")
    assert (await anonymous_client.get(f"/taps/{tag['urlId']}")).json()[
        "itemName"
    ] == "Kitchen Roll"


async def test_repeated_tap_is_applied_once(
    home: Home, anonymous_client: Visitor, towels: Shown, tag: Shown
) -> None:
    answers = await asyncio.gather(*(tap(anonymous_client, tag, key="k") for _ in range(5)))
    assert {answer.text for answer in answers} == {answers[0].text}
    assert (await get_item(home.admin, towels))["quantity"] == 3
    assert problem_of(await tap(anonymous_client, tag, -2, key="k")) == (
        409,
        "idempotency_mismatch",
    )


async def test_repeated_tap_counts_once_for_the_limit(database: Database) -> None:
    async with running_app(database, limit_taps=Rate(2, 60)) as running:
        home, somebody = await new_home(running, "Home", "ada"), running.visitor()
        tag = await make_tag(home.admin, await add_item(home.admin, quantity=9))
        assert [(await tap(somebody, tag, key="k")).status_code for _ in range(5)] == [200] * 5
        assert (await tap(somebody, tag, key="l")).status_code == 200
        assert (await tap(somebody, tag, key="m")).status_code == 429
        assert (await tap(somebody, tag, key="k")).status_code == 200


async def test_idempotency_key_belongs_to_one_tag(
    home: Home, anonymous_client: Visitor, towels: Shown, tag: Shown
) -> None:
    other = await make_tag(home.admin, towels)
    await tap(anonymous_client, tag, key="k")
    assert (await tap(anonymous_client, other, key="k")).json()["quantity"] == 2


async def test_dead_tag_gives_no_replay(home: Home, anonymous_client: Visitor, tag: Shown) -> None:
    await tap(anonymous_client, tag, key="k")
    await rotate(home.admin, tag)
    assert problem_of(await tap(anonymous_client, tag, key="k")) == (404, "not_found")


async def test_dead_and_unknown_tags_return_same_response(
    home: Home, anonymous_client: Visitor
) -> None:
    answers = set()
    for tag in (await make_dead_tags(home)).values():
        for answer in (
            await anonymous_client.get(f"/taps/{tag['urlId']}"),
            await tap(anonymous_client, tag),
        ):
            assert answer.status_code == 404
            answers.add((tuple(sorted(answer.headers.items())), answer.content))
    assert len(answers) == 1


async def test_dead_and_active_tags_cost_same_reads(database: Database) -> None:
    tags = {
        "open": make_record(NFCUrl, url_id="a" * 22, item_id="i1"),
        "rotated": make_record(NFCUrl, url_id="b" * 22, item_id="i1", is_active=False),
        "archived": make_record(NFCUrl, url_id="c" * 22, item_id="i2"),
        "deleted": make_record(NFCUrl, url_id="d" * 22, item_id="i3", is_active=False),
    }
    family = tags["open"].family_id
    items = [
        make_record(InventoryItem, family_id=family, item_id="i1"),
        make_record(InventoryItem, family_id=family, item_id="i2", status="archived"),
    ]
    await database.batch([record.put() for record in (*tags.values(), *items)])
    spent = {}
    for name, url_id in {"unknown": "z" * 22, **{n: t.url_id for n, t in tags.items()}}.items():
        with count_operations(database) as counted:
            found = await find_active_tag(database, url_id)
        assert (found is not None) == (name == "open")
        spent[name] = dict(counted)
    assert all(each == {"query": 1, "get_many": 1} for each in spent.values()), spent


async def test_tag_revoked_before_tap_subtracts_nothing(
    home: Home, towels: Shown, tag: Shown
) -> None:
    opened = await find_active_tag(home.running.db, tag["urlId"])
    assert opened is not None
    await rotate(home.admin, tag)
    with pytest.raises(NotFound):
        await store.tap(home.running.db, opened, -1)
    fresh = await make_tag(home.admin, towels)
    opened = await find_active_tag(home.running.db, fresh["urlId"])
    assert opened is not None
    await set_archived(home.admin, towels, "archive")
    with pytest.raises(NotFound):
        await store.tap(home.running.db, opened, -1)
    item = await home.running.db.get(key_of(home.family_id, towels["itemId"]))
    assert item is not None
    assert item.quantity == 4


async def test_rate_limit_applies_per_tag(
    home: Home, anonymous_client: Visitor, moment: Moment
) -> None:
    rice = await add_item(home.admin, quantity=5000)
    tag, other = await make_tag(home.admin, rice), await make_tag(home.admin, rice)
    for _ in range(40):
        assert (await tap(anonymous_client, tag)).status_code == 200
    refused = await tap(anonymous_client, tag)
    assert problem_of(refused) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) == 10
    assert (await tap(anonymous_client, other)).status_code == 200
    moment.pass_by(11)
    assert (await tap(anonymous_client, tag)).status_code == 200


async def test_daily_limit_applies_per_tag(database: Database, moment: Moment) -> None:
    rates = {"limit_taps": Rate(100, 10), "limit_taps_day": Rate(5, 86_400)}
    async with running_app(database, **rates) as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(home.admin, await add_item(home.admin, quantity=50))
        somebody = running.visitor()
        assert [(await tap(somebody, tag)).status_code for _ in range(6)] == [200] * 5 + [429]
        moment.pass_by(3600)
        assert (await tap(somebody, tag)).status_code == 429
        moment.pass_by(23 * 3600)
        assert (await tap(somebody, tag)).status_code == 200


@pytest.mark.usefixtures("moment")
async def test_limit_on_unknown_tags_does_not_affect_known_tags(
    home: Home, anonymous_client: Visitor, tag: Shown
) -> None:
    for _ in range(120):
        assert (await anonymous_client.get(f"/taps/{'z' * 22}")).status_code == 404
    assert problem_of(await anonymous_client.get("/taps/x")) == (429, "rate_limited")
    assert problem_of(await tap(anonymous_client, tag | {"urlId": "z" * 22})) == (
        429,
        "rate_limited",
    )
    assert (await tap(anonymous_client, tag)).status_code == 200
    elsewhere = home.running.visitor("198.51.100.2")
    assert (await elsewhere.get(f"/taps/{'z' * 22}")).status_code == 404


async def test_eighty_concurrent_taps_lose_nothing(app_without_tap_limits: RunningApp) -> None:
    home = await new_home(app_without_tap_limits, "Lovelace", "ada")
    crate = await add_item(home.admin, quantity=100)
    tags = [await make_tag(home.admin, crate) for _ in range(4)]
    somebody = app_without_tap_limits.visitor()
    answers = await asyncio.gather(*(tap(somebody, tags[n % 4], key=f"k{n}") for n in range(80)))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["quantity"] for answer in answers) == list(range(20, 100))
    now = await get_item(home.admin, crate)
    assert (now["quantity"], now["version"]) == (20, 81)
    await expect_history(home, crate)


async def test_thousand_concurrent_taps_are_all_in_history(
    app_without_tap_limits: RunningApp,
) -> None:
    home = await new_home(app_without_tap_limits, "Lovelace", "ada")
    crate = await add_item(home.admin, quantity=1500)
    db, key = app_without_tap_limits.db, key_of(home.family_id, crate["itemId"])
    tags = [await make_tag(home.admin, crate) for _ in range(5)]
    opened = [await find_active_tag(db, tag["urlId"]) for tag in tags]
    taps = [store.tap(db, each, -1) for _ in range(200) for each in opened if each is not None]
    with count_operations(db) as spent:
        results = await asyncio.gather(*taps)
    assert spent["transact"] == 26, "the first alone, and forty at a time"
    assert [result.item.quantity for result in results] == list(range(1499, 499, -1))
    assert [result.item.version for result in results] == list(range(2, 1002))
    item = await db.get(key)
    assert item is not None
    assert (item.quantity, item.version) == (500, 1001)
    await expect_history(home, crate)


async def test_concurrent_taps_adjustments_and_edits_lose_nothing(
    app_without_tap_limits: RunningApp,
) -> None:
    home = await new_home(app_without_tap_limits, "Lovelace", "ada")
    crate = await add_item(home.admin, quantity=100)
    tag = await make_tag(home.admin, crate)
    somebody = app_without_tap_limits.visitor()

    async def rename_repeatedly(name: str) -> None:
        while True:
            version = (await get_item(home.admin, crate))["version"]
            path = f"/items/{crate['itemId']}"
            answer = await home.admin.patch(path, {"name": name, "version": version})
            if answer.status_code == 200:
                return

    await asyncio.gather(
        *(tap(somebody, tag) for _ in range(40)),
        *(adjust(home.admin, crate, 2) for _ in range(30)),
        *(rename_repeatedly(f"Crate {number}") for number in range(3)),
    )
    now = await get_item(home.admin, crate)
    assert (now["quantity"], now["version"]) == (120, 74)
    await expect_history(home, crate)


async def expect_history(home: Home, item: Shown) -> None:
    """Check that each change continues from the one before and has its own time."""
    history = await get_all_pages(home.admin, f"/items/{item['itemId']}/history", 100)
    history.reverse()
    assert len({each["at"] for each in history}) == len(history)
    total = 0
    for each in history:
        total += each["delta"]
        assert each["quantity"] == total
    assert total == (await get_item(home.admin, item))["quantity"]
