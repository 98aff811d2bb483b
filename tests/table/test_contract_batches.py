import pytest

from homeshelf.table.engine import BadRequest, Engine
from homeshelf.table.expressions import Item, absent, exists
from homeshelf.table.operations import Delete, KeyValue, Put
from homeshelf.table.schema import SHAREABLES, SHORT_ID_POOL
from tests.table.support import Place, list_sort_keys, new_place, put_all


async def test_a_batch_does_each_of_its_puts_and_deletes(
    engine: Engine, home: Place, shelf: Place
) -> None:
    gone = [f"gone {number}" for number in range(30)]
    await put_all(engine, home, ["kept", "replaced", *gone])
    writes: list[Put | Delete] = [home.delete(name) for name in gone]
    writes += [home.put(f"new {number:02}") for number in range(28)]
    writes += [home.put("replaced", again=True), shelf.put("book"), home.delete("never was")]
    await engine.batch(writes[::-1])
    found = (await engine.query(home.all())).items
    assert list_sort_keys(found) == [
        "kept",
        *(f"new {number:02}" for number in range(28)),
        "replaced",
    ]
    assert found[-1] == home.item("replaced", again=True)
    assert await engine.get(shelf.key("book")) == shelf.item("book")


async def test_a_batch_takes_any_number_of_writes(engine: Engine, home: Place) -> None:
    names = [f"{number:03}" for number in range(260)]
    await put_all(engine, home, names)
    assert await engine.count(home.all()) == 260
    await engine.batch([home.delete(name) for name in names])
    assert await engine.count(home.all()) == 0


async def test_empty_batch_does_nothing(engine: Engine) -> None:
    await engine.batch([])


async def test_a_batch_has_no_conditions(engine: Engine, home: Place) -> None:
    with pytest.raises(BadRequest):
        await engine.batch([home.put("a"), home.put("b", absent)])
    with pytest.raises(BadRequest):
        await engine.batch([home.put("a"), home.delete("b", exists)])
    assert await engine.count(home.all()) == 0


async def test_the_same_key_twice_in_a_batch_is_refused(engine: Engine, home: Place) -> None:
    apart = [home.put(str(number)) for number in range(40)]
    for twice in ([home.put("a"), home.put("a")], [home.put("a"), home.delete("a")]):
        with pytest.raises(BadRequest):
            await engine.batch([*apart, *twice])
    with pytest.raises(BadRequest):
        await engine.batch([home.put("a"), *apart, home.put("a")])
    assert await engine.count(home.all()) == 0


async def scanned(engine: Engine, limit: int) -> list[Item]:
    found: list[Item] = []
    start: dict[str, KeyValue] | None = None
    while True:
        page = await engine.scan(SHAREABLES, limit, start)
        found += page.items
        if page.next is None:
            return found
        assert len(page.items) == limit
        start = dict(page.next)


@pytest.mark.parametrize("limit", [3, 7, 1000])
async def test_a_scan_pages_through_every_record_once(engine: Engine, limit: int) -> None:
    shares = [Place(SHAREABLES, str(new_place().partition)) for _ in range(6)]
    mine = [share.item(sort) for share in shares for sort in ("a", "b", "é")]
    await engine.batch([Put(SHAREABLES, item) for item in mine])
    found = [item for item in await scanned(engine, limit) if item in mine]
    assert len(found) == 18
    assert all(item in found for item in mine)


async def test_next_of_a_scan_is_none_exactly_on_the_last_page(engine: Engine) -> None:
    share = Place(SHAREABLES, str(new_place().partition))
    await put_all(engine, share, ["a", "b", "c"])
    everything = len(await scanned(engine, 1000))
    page = await engine.scan(SHAREABLES, everything)
    assert len(page.items) == everything
    assert page.next is None
    assert (await engine.scan(SHAREABLES, everything - 1)).next is not None


async def test_a_scan_starts_only_at_a_key(engine: Engine) -> None:
    wrong: list[dict[str, KeyValue]] = [
        {},
        {"pk": "a"},
        {"pk": "a", "sk": ""},
        {"pk": 1, "sk": "a"},
    ]
    for start in wrong:
        with pytest.raises(BadRequest):
            await engine.scan(SHAREABLES, 5, start)
    with pytest.raises(BadRequest):
        await engine.scan(SHAREABLES, 0)


async def test_a_table_with_numeric_keys_is_scanned_too(engine: Engine) -> None:
    pools = [Place(SHORT_ID_POOL, number) for number in (8_000_001, 8_000_002)]
    mine = [pool.item(sort) for pool in pools for sort in ("a", "b")]
    await engine.batch([Put(SHORT_ID_POOL, item) for item in mine])
    found: list[Item] = []
    start: dict[str, KeyValue] | None = None
    while True:
        page = await engine.scan(SHORT_ID_POOL, 3, start)
        found += page.items
        if page.next is None:
            break
        start = dict(page.next)
    assert len([item for item in found if item in mine]) == 4
