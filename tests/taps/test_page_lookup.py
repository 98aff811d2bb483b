"""The page lookup needs few reads and never returns cached state."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Unreadable
from homeshelf.table.operations import Put
from homeshelf.taps import page_lookup
from homeshelf.taps.model import NFCUrl
from homeshelf.taps.page_lookup import PageLookup
from tests.api_client import Shown, add_item, adjust, edit_item, set_archived, wait_until
from tests.costs import count_operations
from tests.databases import tables
from tests.home import Home, new_home
from tests.records import make_record
from tests.running import RunningApp, problem_of, running_app
from tests.table.faulty_engines import LaggingSqlite
from tests.taps.tags import make_tag, rotate, tap


def lookup_of(home: Home) -> PageLookup:
    return PageLookup(home.running.db)


async def test_cached_page_shows_current_item(home: Home, towels: Shown, tag: Shown) -> None:
    lookup = lookup_of(home)
    for _ in range(2):
        content = await lookup.content(tag["urlId"])
        assert content is not None
        assert content[1:] == ("Paper Towels", 4, None, None)
    await adjust(home.admin, towels, 3)
    await edit_item(home.admin, towels, name="Kitchen Roll", unit="rolls", picture="🦄")
    content = await lookup.content(tag["urlId"])
    assert content is not None
    assert content[1:] == ("Kitchen Roll", 7, "rolls", "🦄")
    assert content.tag == (home.family_id, towels["itemId"], tag["urlId"])


@pytest.mark.parametrize("ending", ["rotated", "revoked", "archived", "deleted"])
async def test_revoked_cached_tag_is_dead_and_costs_same_reads(
    home: Home, towels: Shown, tag: Shown, ending: str
) -> None:
    lookup = lookup_of(home)
    await lookup.content(tag["urlId"])
    with count_operations(home.running.db) as spent:
        assert await lookup.content(tag["urlId"]) is not None
    assert dict(spent) == {"get_many": 1}
    match ending:
        case "rotated":
            await rotate(home.admin, tag)
        case "revoked":
            await home.admin.delete(f"/nfc-urls/{tag['urlId']}")
        case "archived":
            await set_archived(home.admin, towels, "archive")
        case "deleted":
            await home.admin.delete(f"/items/{towels['itemId']}")
    for url_id in (tag["urlId"], tag["urlId"], "z" * 22):
        with count_operations(home.running.db) as spent:
            assert await lookup.content(url_id) is None
        assert dict(spent) == {"query": 1, "get_many": 1}


async def test_unarchived_item_is_shown_again(home: Home, towels: Shown, tag: Shown) -> None:
    lookup = lookup_of(home)
    await lookup.content(tag["urlId"])
    await set_archived(home.admin, towels, "archive")
    assert await lookup.content(tag["urlId"]) is None
    await set_archived(home.admin, towels, "unarchive")
    assert await lookup.content(tag["urlId"]) is not None


async def test_cache_size_is_limited(
    home: Home, towels: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_lookup, "MAX_CACHED", 2)
    lookup = lookup_of(home)
    tags = [await make_tag(home.admin, towels) for _ in range(3)]
    for each in tags:
        await lookup.content(each["urlId"])
    spent = []
    for each in tags[::-1]:
        with count_operations(home.running.db) as counted:
            assert await lookup.content(each["urlId"]) is not None
        spent.append(counted["query"])
    assert spent == [0, 0, 1]


async def test_unreadable_record_raises_error(database: Database) -> None:
    tag = make_record(NFCUrl, family_id="f1", item_id="i1", url_id="a" * 22)
    item = make_record(InventoryItem, family_id="f1", item_id="i1")
    await database.batch([tag.put(), item.put()])
    lookup = PageLookup(database)
    assert await lookup.content(tag.url_id) is not None
    broken = {name: value for name, value in item.item().items() if name != "name"}
    await database.write(Put(item.table, broken))
    with pytest.raises(Unreadable):
        await lookup.content(tag.url_id)


@pytest.fixture(params=["extenddb", "an index an hour behind"])
async def slow_app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RunningApp]:
    if request.param == "extenddb":
        async with (
            tables(request, tmp_path) as open_another,
            running_app(open_another()) as running,
        ):
            yield running
        return
    database = Database(LaggingSqlite(tmp_path / "homeshelf.db", 1.0))
    async with running_app(database) as running:
        yield running
    await database.close()


async def test_rotated_address_is_dead_despite_index_lag(
    slow_app: RunningApp,
) -> None:
    home = await new_home(slow_app, "Lovelace", "ada")
    tag = await make_tag(home.admin, await add_item(home.admin, quantity=4))
    somebody = slow_app.visitor()

    async def is_indexed() -> bool:
        return (await somebody.client.get(f"/t/{tag['urlId']}")).status_code == 200

    await wait_until(is_indexed)
    await rotate(home.admin, tag)
    assert (await somebody.client.get(f"/t/{tag['urlId']}")).status_code == 404
    assert problem_of(await tap(somebody, tag)) == (404, "not_found")
    form = {"delta": "-1", "key": "k"}
    answer = await somebody.client.post(f"/t/{tag['urlId']}", data=form)
    assert answer.status_code == 404
