"""The cost of a page and of a count in steps of SQLite's virtual machine; time varies too much."""

from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import pytest

from homeshelf.table.expressions import attr
from homeshelf.table.operations import Between, Equals, Prefix, Query
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import open_reader
from homeshelf.table.sqlite.statements import query_values, select
from tests.table.support import new_place

RECORDS = 2000
PAGE = 20
HOME = new_place()


@pytest.fixture(scope="module")
async def full(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sqlite]:
    """A table of many records: groups of ten in one index, one partition in the other."""
    engine = Sqlite(tmp_path_factory.mktemp("costs") / "homeshelf.db")
    await engine.batch(
        [
            HOME.put(
                f"ITEM#{number:05}",
                status="open" if number % 2 else "done",
                **HOME.index_keys(f"ITEM#{number // 10:05}"),
                **HOME.index_keys("ITEM#", "GSI2"),
            )
            for number in range(RECORDS)
        ]
    )
    yield engine
    await engine.close()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "query",
    [
        HOME.all(),
        HOME.all(Prefix("ITEM#")),
        HOME.all(Between("ITEM#", "ITEM#9")),
        HOME.indexed(),
        HOME.indexed(Prefix("ITEM#")),
        HOME.indexed(Between("ITEM#", "ITEM#9")),
        HOME.indexed(None, "GSI2"),
        HOME.indexed(Prefix("ITEM#"), "GSI2"),
        HOME.indexed(Between("ITEM#", "ITEM#9"), "GSI2"),
        HOME.indexed(Equals("ITEM#"), "GSI2"),
    ],
)
async def test_last_page_costs_as_much_as_the_first(
    full: Sqlite, query: Query[Any], descending: bool
) -> None:
    query = replace(query, descending=descending)
    found = (await full.query(query)).items
    assert len(found) == RECORDS
    ended_at = found[-PAGE - 1]
    last = replace(query, start={name: ended_at[name] for name in query.cursor_attributes})  # type: ignore[misc]  # keys
    assert 0 < _steps(full.path, last) < 4 * _steps(full.path, query)


async def test_a_bounded_count_stops_at_its_bound(full: Sqlite) -> None:
    query = HOME.indexed(Prefix("ITEM#")).only(attr("status") == "open")
    with _noting_steps(full._reader) as taken:
        assert await full.count(query, at_most=10) == 10
        assert await full.count(query, at_most=100) == 100
    assert 5 * taken[0] < taken[1]


@pytest.mark.parametrize(("number", "statements"), [(1, 1), (3, 1), (8, 1), (9, 2), (100, 13)])
async def test_keys_are_read_several_by_a_statement(
    full: Sqlite, number: int, statements: int
) -> None:
    keys = [HOME.key(f"ITEM#{each:05}") for each in range(number)]
    with _noting_steps(full._reader) as taken:
        found = await full.get_many(keys)
    assert [item and item["SK"] for item in found] == [key.sort for key in keys]
    assert len(taken) == statements


def _steps(path: Path, query: Query[Any]) -> int:
    """Return the steps of SQLite's virtual machine for a page of the query."""
    with (
        closing(open_reader(path)) as connection,
        _noting_steps(connection) as taken,
        closing(connection.execute(select(query), query_values(query, 0))) as rows,
    ):
        assert len(list(islice(rows, PAGE))) == PAGE
    return taken[-1]


@contextmanager
def _noting_steps(connection: apsw.Connection) -> Iterator[list[int]]:
    """Record the steps of each statement."""
    taken: list[int] = []

    def note(event: dict[str, Any]) -> None:
        taken.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
    yield taken
    connection.trace_v2(0, None)
