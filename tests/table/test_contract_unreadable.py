"""A record that cannot be decoded does not count as absent, and does not stop a list."""

import pytest

from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.engine import Engine, Unreadable
from homeshelf.table.expressions import Add, Condition, absent, attr, exists
from homeshelf.table.operations import Delete, Prefix, Put
from homeshelf.table.schema import INVENTORY
from tests.table.faulty_engines import damage_records
from tests.table.support import HOUR, Clock, Place, eventually, list_sort_keys, pages, put_all

NAMES = [f"{number:02}" for number in range(20)]
BAD = ["00", "03", "04", "05", "11", "19"]
GOOD = [name for name in NAMES if name not in BAD]


@pytest.fixture
async def bad_home(engine: Engine, home: Place) -> Place:
    await engine.batch([home.put(name, n=1, **home.index_keys(name)) for name in NAMES])
    await damage_records(engine, [home.key(name) for name in BAD])
    await eventually(
        lambda: engine.query(home.indexed()),
        lambda page: (len(page.items), len(page.unreadable)) == (len(GOOD), len(BAD)),
    )
    return home


async def test_get_of_an_unreadable_record_raises_without_its_key(
    engine: Engine, bad_home: Place
) -> None:
    with pytest.raises(Unreadable) as one:
        await engine.get(bad_home.key("03"))
    assert one.value.key.attributes == bad_home.key("03").attributes
    assert str(bad_home.partition) not in str(one.value)
    assert one.value.digest in str(one.value)
    with pytest.raises(Unreadable):
        await engine.get_many([bad_home.key(name) for name in NAMES])
    found = await engine.get_many([bad_home.key(name) for name in GOOD])
    assert all(found)


@pytest.mark.parametrize("limit", [1, 2, 5, 13, 14, 15, 100])
@pytest.mark.parametrize("descending", [False, True])
async def test_pages_are_full_despite_unreadable_records(
    engine: Engine, bad_home: Place, limit: int, descending: bool
) -> None:
    expected = GOOD[::-1] if descending else GOOD
    for query in (bad_home.all(), bad_home.all(Prefix("0")), bad_home.indexed()):
        wanted = [name for name in expected if query.sort is None or name.startswith("0")]
        asked = query.newest_first() if descending else query
        found = await pages(engine, asked.page(limit), limit)
        assert [name for page in found for name in list_sort_keys(page.items)] == wanted
        assert all(len(page.items) == limit for page in found[:-1])
        named = {str(key.sort) for page in found for key in page.unreadable}
        assert named == {name for name in BAD if query.sort is None or name.startswith("0")}


async def test_many_unreadable_records_do_not_stop_a_query(engine: Engine, home: Place) -> None:
    names = [f"{number:03}" for number in range(300)]
    await put_all(engine, home, names)
    await damage_records(engine, [home.key(name) for name in names[:290]])
    assert list_sort_keys((await engine.query(home.all())).items) == names[290:]
    assert list_sort_keys((await engine.query(home.all().page(3))).items) == names[290:293]


async def test_scan_lists_unreadable_records_separately(engine: Engine, bad_home: Place) -> None:
    found, lost, start = set(), set(), None
    while True:
        page = await engine.scan(INVENTORY, 7, start)
        found |= {item["SK"] for item in page.items if item["PK"] == bad_home.partition}
        lost |= {key.sort for key in page.unreadable if key.partition == bad_home.partition}
        if (start := page.next) is None:
            break
    assert (found, lost) == ({*GOOD}, {*BAD})


async def test_count_includes_unreadable_records(engine: Engine, bad_home: Place) -> None:
    assert await engine.count(bad_home.all()) == 20
    assert await engine.count(bad_home.all(), 3) == 3
    assert await engine.count(bad_home.all().matching(lambda _: True)) == 20
    assert await engine.count(bad_home.all().matching(lambda _: True), 18) == 18


@pytest.mark.parametrize("when", [absent, attr("n") == 2, attr("n").missing])
async def test_unreadable_record_is_never_absent(
    engine: Engine, bad_home: Place, when: Condition
) -> None:
    with pytest.raises(Unreadable):
        await engine.write(bad_home.put("03", when, n=5))
    with pytest.raises(Unreadable):
        await engine.write(bad_home.delete("03", when))
    with pytest.raises(Unreadable):
        await engine.transact([bad_home.put("03", when, n=5), bad_home.put("new")])
    assert await engine.get(bad_home.key("new")) is None
    with pytest.raises(Unreadable):
        await engine.get(bad_home.key("03"))


async def test_unconditional_write_replaces_an_unreadable_record(
    engine: Engine, bad_home: Place
) -> None:
    assert await engine.write(bad_home.put("03", n=5)) is None
    assert await engine.get(bad_home.key("03")) == bad_home.item("03", n=5)
    assert await engine.write(bad_home.delete("04")) is None
    assert await engine.get(bad_home.key("04")) is None
    await engine.transact([bad_home.put("05", n=5), bad_home.delete("11")])
    await engine.batch([Put(INVENTORY, bad_home.item("00", n=5)), Delete(bad_home.key("19"))])
    assert (await engine.query(bad_home.all())).unreadable == []


async def test_change_of_an_unreadable_record_is_refused_or_made(
    engine: Engine, bad_home: Place
) -> None:
    """DynamoDB need not read the record that it changes."""
    change = bad_home.update("03", Add("n", 1), when=exists)
    if isinstance(engine, DynamoDB):
        assert await engine.write(change) == bad_home.key("03").attributes
    else:
        with pytest.raises(Unreadable):
            await engine.write(change)


async def test_expired_unreadable_record_is_absent(
    engine: Engine, home: Place, clock: Clock
) -> None:
    await engine.write(home.put("a", ttl=clock.now + HOUR))
    await damage_records(engine, [home.key("a")])
    clock.forward(HOUR)
    assert await engine.get(home.key("a")) is None
    assert await engine.get_many([home.key("a")]) == [None]
    page = await engine.query(home.all())
    assert (page.items, page.unreadable) == ([], [])
    assert await engine.write(home.put("a", absent)) is None
