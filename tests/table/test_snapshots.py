"""A read that fails half-way leaves no snapshot open: the next read sees the current tables."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from homeshelf.table.engine import Engine
from homeshelf.table.expressions import Item, attr
from homeshelf.table.schema import INVENTORY
from homeshelf.table.sqlite.engine import Sqlite
from tests.table.conftest import EngineOpener
from tests.table.support import Place, put_all

MANY = [f"{number:03}" for number in range(600)]
"""Enough names that a query leaves the event loop."""


class Mistake(Exception):
    pass


@pytest.fixture
async def another(open_engine: EngineOpener) -> AsyncIterator[Engine]:
    """The same tables, opened as by another process."""
    other = open_engine()
    yield other
    await other.close()


@pytest.mark.parametrize("last", ["001", "450"])
async def test_a_predicate_that_fails_does_not_hide_later_writes(
    engine: Engine, another: Engine, home: Place, last: str
) -> None:
    await put_all(engine, home, MANY, role="admin")

    def fails(item: Item) -> bool:
        if item["SK"] == last:
            raise Mistake
        return True

    kept = []
    for query in (home.all(), home.all().newest_first(), home.all().page(500)):
        kept.append(await _outcome(engine.query(query.matching(fails))))
        kept.append(await _outcome(engine.count(query.matching(fails))))
    assert [type(error) for error in kept] == [Mistake] * 6
    await another.write(home.put("000", role="gone"))
    await _assert_visible(engine, home, "gone")


async def test_a_record_that_is_no_json_does_not_hide_later_writes(
    tmp_path: Path, home: Place
) -> None:
    path = tmp_path / "homeshelf.db"
    engine, another = Sqlite(path), Sqlite(path)
    await put_all(engine, home, MANY, role="admin")
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE InventoryManagement SET item = '{' WHERE SK IN ('001', '500')")
    kept = [
        await _outcome(engine.get(home.key("001"))),
        await _outcome(engine.get_many([home.key("002"), home.key("500")])),
        await _outcome(engine.query(home.all())),
        await _outcome(engine.query(home.all().newest_first())),
        await _outcome(engine.count(home.all().only(attr("role") == "admin"))),
        await _outcome(engine.scan(INVENTORY, 1000)),
    ]
    await another.write(home.put("000", role="gone"))
    await another.batch([home.delete("001"), home.delete("500")])
    await _assert_visible(engine, home, "gone")
    del kept
    await engine.close()
    await another.close()


async def _outcome(work: Awaitable[object]) -> object:
    """Return the result or the error, which keeps the variables of its frames alive."""
    return (await asyncio.gather(work, return_exceptions=True))[0]


async def _assert_visible(engine: Engine, home: Place, role: str) -> None:
    assert await engine.get(home.key("000")) == home.item("000", role=role)
    assert await engine.get_many([home.key("000")]) == [home.item("000", role=role)]
    assert (await engine.query(home.all())).items[0] == home.item("000", role=role)
    assert await engine.count(home.all().only(attr("role") == role)) == 1
    assert (await engine.query(home.all().only(attr("role") == role).page(1))).items
