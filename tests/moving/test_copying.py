"""Test that a household is copied between all engines, also in several runs."""

import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.config import SqliteAt, addresses
from homeshelf.moving.comparison import Comparison, Tally, compare
from homeshelf.moving.copy_sides import Side, connect
from homeshelf.moving.database_copy import copy_database
from homeshelf.moving.progress_marks import CopyMark, unfinished_copy
from homeshelf.table import BOOKS, HELPER, INVENTORY, SHAREABLES, TABLES, CannotOpen, Database, Item
from homeshelf.table.database import SCANNED_AT_ONCE
from homeshelf.table.operations import Delete, Put, item_key
from homeshelf.table.schema import SHORT_ID_POOL, Table
from tests.forked_processes import run_module
from tests.former.folder import LATER
from tests.moment import Moment
from tests.processes import environment, on_dynamodb
from tests.servers import Server

FAR_FUTURE = 32_472_144_000
UNUSUAL_VALUES: list[Mapping[str, Any]] = [
    {"n": Decimal("0.1")},
    {"n": Decimal("1E-130")},
    {"n": 10**37 + 1},
    {"n": -(2**63)},
    {"n": 0},
    {"n": None, "t": True, "f": False},
    {"n": "", "l": [], "m": {}},
    {"n": [1, [Decimal("2.5"), None, {"a": ["b"]}], "1"]},
    {"n": "1", "ü #": "zażółć 😀\u0000\n"},
    {"ttl": FAR_FUTURE},
]


def varied_records(records: int) -> Iterator[tuple[Table, Item]]:
    for number in range(records):
        odd = UNUSUAL_VALUES[number % len(UNUSUAL_VALUES)]
        match number % 5:
            case 0:
                yield SHORT_ID_POOL, {"pk": number, "sk": "available#00", **odd}
            case 1:
                yield BOOKS, {"pk": f"USER#{number % 7}", "sk": f"BOOK#{number}", **odd}
            case 2:
                yield SHAREABLES, {"pk": f"checklist_item#{number}", "sk": "01#a#", **odd}
            case 3:
                yield HELPER, {"PK": f"CLAIMS#{number % 9}", "SK": f"NOTICE#{number}", **odd}
            case _:
                keys = {"PK": f"FAMILY#{number % 3}", "SK": f"ITEM#{number}"}
                index = {"GSI2PK": f"FAMILY#{number % 3}#ITEMS", "GSI2SK": f"STATUS#{number:010}"}
                yield INVENTORY, {**keys, **index, **odd}


async def fill(db: Database, records: int) -> None:
    puts = [Put(table, item) for table, item in varied_records(records)]
    for first in range(0, len(puts), 1000):
        await db.batch(puts[first : first + 1000])


async def household(folder: Path, records: int) -> str:
    """Add records to the database of an earlier version and return its address."""
    data = LATER.copied_to(folder)
    at = SqliteAt(data / "homeshelf.db")
    async with connect(at) as end:
        await fill(end.db, records)
    return f"sqlite:///{at.path}"


async def demo_household(folder: Path, records: int) -> str:
    """Return the address of such a household with the records of `homeshelf demo`."""
    url = await household(folder, records)
    made = run_module("homeshelf", ("demo", "--folder", "demo"), folder, variables())
    assert made.returncode == 0, made.stderr
    demo = SqliteAt(folder / "demo" / "homeshelf.db")
    async with (
        connect(demo) as source,
        connect(addresses.database(url)) as target,
    ):
        for table in TABLES:
            async for page in source.pages(table):
                await target.db.batch([Put(table, item) for item in page.items])
    return url


def silent(_done: int, _of: int) -> None:
    pass


@pytest.fixture
def servers(dynoxide: Server, extenddb: Server, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    urls = []
    for server in (dynoxide, extenddb):
        variables = on_dynamodb(server, f"{clock.new_id()}.")
        urls.append(variables.pop("HOMESHELF_DATABASE"))
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
    return urls


async def copy_around_and_verify(
    folder: Path, servers: list[str], records: int, seconds: float, *, halves: bool
) -> None:
    """Copy sqlite -> dynoxide -> ExtendDB -> sqlite, kill each copy twice, and run it again.

    Each run takes at most `seconds`. With `halves`, each unfinished copy must differ.
    """

    def run_here(*words: str) -> "CompletedProcess[str]":
        return run_module("homeshelf", words, folder, variables(), "", seconds)

    began = await demo_household(folder, records)
    ways = [began, *servers, f"sqlite:///{folder}/back/homeshelf.db"]
    for source, target in pairwise(ways):
        ends = ("--from", source, "--to", target)
        for killed_at in (records // 3, records // 2):
            arguments = ("copy", source, target, str(killed_at))
            died = run_module("tests.kill_points", arguments, folder, variables(), "", seconds)
            assert died.returncode == -signal.SIGKILL, died.stderr
        if halves:
            half = run_here("verify", *ends)
            assert (half.returncode, "They differ." in half.stdout) == (1, True), half.stderr
        done = run_here("copy", *ends)
        assert (done.returncode, done.stderr) == (0, "")
    same = run_here("verify", "--from", began, "--to", ways[-1])
    assert (same.returncode, same.stderr) == (0, "")
    assert "DIFFERS" not in same.stdout
    assert "same    Secret: 1\n" in same.stdout
    back = folder / "back"
    assert (back / "secret.key").read_text() == (LATER.path / "secret.key").read_text()
    assert {f"{path.stat().st_mode:o}" for path in back.iterdir()} == {"100600"}
    assert await sorted_records(began) == await sorted_records(ways[-1])


def variables() -> dict[str, str]:
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    ours = {name: os.environ[name] for name in names if name in os.environ}
    return environment(
        ours | {"HOMESHELF_SECRET": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    )


async def sorted_records(url: str) -> list[str]:
    async with connect(addresses.database(url)) as end:
        found = [
            repr(_sorted(item))
            for table in TABLES
            async for page in end.pages(table)
            for item in page.items
        ]
    return sorted(found)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted((name, _sorted(each)) for name, each in value.items())
    return [_sorted(each) for each in value] if isinstance(value, list) else value


@pytest.mark.timeout(120)
async def test_copy_across_all_engines_and_back_keeps_every_record(
    tmp_path: Path, servers: list[str]
) -> None:
    await copy_around_and_verify(tmp_path, servers, 2000, seconds=50, halves=True)


@pytest.mark.torture
@pytest.mark.timeout(3600)
async def test_copy_of_large_household_keeps_every_record(
    tmp_path: Path, servers: list[str]
) -> None:
    await copy_around_and_verify(tmp_path, servers, 100_000, seconds=900, halves=False)


@asynccontextmanager
async def open_sides(tmp_path: Path, target: Database) -> AsyncIterator[tuple[Side, Side]]:
    url = await household(tmp_path, 20)
    async with connect(addresses.database(url)) as source:
        at = addresses.database(f"dynamodb://eu-central-1?prefix={clock.new_id()}")
        yield source, Side(at, target)


async def test_copy_refuses_a_target_with_records(tmp_path: Path, database: Database) -> None:
    there: Item = {"pk": "USER#1", "sk": "BOOK#1", "title": "Emma"}
    await database.batch([Put(BOOKS, there)])
    async with open_sides(tmp_path, database) as (source, target):
        with pytest.raises(CannotOpen, match="The target is not empty"):
            await copy_database(source, target, silent)
    assert [(await database.engine.scan(table, 10)).items for table in TABLES] == [
        [there] if table is BOOKS else [] for table in TABLES
    ]


async def test_copy_refuses_unfinished_copy_of_another_database(
    tmp_path: Path, database: Database
) -> None:
    await database.put(CopyMark(source="another"))
    async with open_sides(tmp_path, database) as (source, target):
        with pytest.raises(CannotOpen, match="an unfinished copy of another database"):
            await copy_database(source, target, silent)
        with pytest.raises(CannotOpen, match="itself an unfinished copy"):
            await copy_database(target, source, silent)


class InterruptedCopy(Exception):
    pass


def many_books(pages: int) -> list[Put]:
    """Return more records of one table than one scan reads."""
    return [
        Put(BOOKS, {"pk": "USER#1", "sk": f"BOOK#{n:06}"}) for n in range(pages * SCANNED_AT_ONCE)
    ]


async def test_interrupted_copy_resumes_where_it_stopped(
    tmp_path: Path, database: Database
) -> None:
    async with open_sides(tmp_path, database) as (source, target):
        await source.db.batch(many_books(3))

        def interrupted(done: int, _of: int) -> None:
            if done >= 2 * SCANNED_AT_ONCE:
                raise InterruptedCopy

        with pytest.raises(InterruptedCopy):
            await copy_database(source, target, interrupted)
        mark = await unfinished_copy(database)
        assert mark is not None
        assert mark.start is not None
        assert mark.copied >= SCANNED_AT_ONCE
        before = database.engine.consumed["batch"]
        left = await source.db.engine.size() - mark.copied
        assert all_same(await copy_database(source, target, silent))
        assert database.engine.consumed["batch"] - before <= left // 25 + 2 * len(TABLES)
        assert await unfinished_copy(database) is None


async def test_first_copy_scans_each_page_twice_without_lookups(
    tmp_path: Path, database: Database
) -> None:
    async with open_sides(tmp_path, database) as (source, target):
        books = [Put(BOOKS, {"pk": "USER#1", "sk": f"BOOK#{n:04}"}) for n in range(1200)]
        await source.db.batch(books)
        before = source.db.engine.consumed["scan"]
        assert all_same(await copy_database(source, target, silent))
        pages = 3 + len(TABLES) - 1
        assert source.db.engine.consumed["scan"] - before == 2 * pages
        assert source.db.engine.consumed["get_many"] == 0


def test_tally_counts_every_bit_and_wraps_around() -> None:
    nothing, last = Tally(), 2**256 - 1
    sums = {(nothing + Tally(1, 1 << bit)).digests for bit in range(256)}
    assert sums == {1 << bit for bit in range(256)}
    assert Tally(1, last) + Tally(1, 2) == Tally(2, 1)


@pytest.mark.parametrize("batch", [1, 15, 30])
async def test_copy_resumes_after_a_failed_batch(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """The connection fails before the copy stores its position."""
    async with open_sides(tmp_path, database) as (source, target):
        await source.db.batch(many_books(2))
        write, left = database.batch, batch

        async def interrupted(writes: list[Put | Delete]) -> None:
            nonlocal left
            left -= 1
            if left <= 0:
                raise InterruptedCopy
            await write(writes)

        with monkeypatch.context() as patch:
            patch.setattr(database, "batch", interrupted)
            with pytest.raises(InterruptedCopy):
                await copy_database(source, target, silent)
        assert all_same(await copy_database(source, target, silent))


async def test_changes_during_a_copy_are_found_and_copied_next_time(
    tmp_path: Path, database: Database
) -> None:
    async with open_sides(tmp_path, database) as (source, target):
        gone = item_key(HELPER, "CLAIMS#3", "NOTICE#3")
        assert (
            all_same(await copy_while(source, target, [Delete(gone), Put(BOOKS, NEW_BOOK)]))
            is False
        )
        mark = await unfinished_copy(database)
        assert mark is not None
        assert mark.again
        assert all_same(await copy_database(source, target, silent))
        assert await database.engine.get(gone) is None
        assert await database.engine.get(item_key(BOOKS, "USER#new", "BOOK#1")) == NEW_BOOK
        assert await unfinished_copy(database) is None


NEW_BOOK: Item = {"pk": "USER#new", "sk": "BOOK#1", "title": "Emma"}


async def copy_while(source: Side, target: Side, writes: list[Put | Delete]) -> list[Comparison]:
    """Copy a database that changes between the copy and the comparison."""
    key = source.signing_key

    class Written(Side):
        asked = 0

        async def signing_key(self) -> str | None:
            Written.asked += 1
            if Written.asked == 2:
                await self.db.batch(writes)
            return await key()

    return await copy_database(Written(source.at, source.db), target, silent)


def all_same(compared: list[Comparison]) -> bool:
    return all(each.is_same for each in compared)


async def test_copy_refuses_a_target_with_another_signing_key(
    tmp_path: Path, database: Database
) -> None:
    async with open_sides(tmp_path, database) as (source, target):
        await target.store_key("B" * 43)
        with pytest.raises(CannotOpen, match="another signing key"):
            await copy_database(source, target, silent)


async def test_expired_records_are_neither_copied_nor_compared(
    tmp_path: Path, database: Database, moment: Moment
) -> None:
    async with open_sides(tmp_path, database) as (source, target):
        expired: Item = {"PK": "ANSWERS#1", "SK": "ANSWER#1", "ttl": clock.seconds() - 1}
        soon: Item = {"PK": "ANSWERS#1", "SK": "ANSWER#2", "ttl": clock.seconds() + 60}
        await source.db.batch([Put(HELPER, expired), Put(HELPER, soon)])
        assert all_same(await copy_database(source, target, silent))
        moment.pass_by(-3600)
        assert await database.engine.get(item_key(HELPER, "ANSWERS#1", "ANSWER#1")) is None
        assert await database.engine.get(item_key(HELPER, "ANSWERS#1", "ANSWER#2")) == soon
        moment.pass_by(3600)
        sizes = await source.db.engine.size()

        def pass_between(done: int, _of: int) -> None:
            if done < sizes:
                return
            moment.at = moment.at.replace(hour=13)

        assert all_same(await compare(source, target, pass_between))


@pytest.mark.parametrize(
    "difference",
    [
        Put(BOOKS, {"pk": "USER#1", "sk": "BOOK#1", "n": Decimal("0.2")}),
        Put(BOOKS, {"pk": "USER#1", "sk": "BOOK#1", "n": "0.1"}),
        Put(BOOKS, {"pk": "USER#1", "sk": "BOOK#1", "n": Decimal("0.1"), "m": None}),
        Put(BOOKS, {"pk": "USER#1", "sk": "BOOK#2"}),
        Delete(item_key(BOOKS, "USER#1", "BOOK#1")),
    ],
    ids=["a number", "a type", "a null", "one more", "one less"],
)
async def test_compare_finds_every_kind_of_difference(
    tmp_path: Path, database: Database, difference: Put | Delete
) -> None:
    async with open_sides(tmp_path, database) as (source, target):
        one: Item = {"pk": "USER#1", "sk": "BOOK#1", "n": Decimal("0.1")}
        await source.db.batch([Put(BOOKS, one)])
        assert all_same(await copy_database(source, target, silent))
        await database.batch([difference])
        differing = [each for each in await compare(source, target, silent) if not each.is_same]
        assert [each.kind for each in differing] == ["Book"]


async def test_swapped_values_differ_and_attribute_order_does_not(
    tmp_path: Path, database: Database
) -> None:
    books: list[Item] = [{"pk": "USER#1", "sk": f"BOOK#{n}", "n": n} for n in (1, 2)]
    async with open_sides(tmp_path, database) as (source, target):
        await source.db.batch([Put(BOOKS, book) for book in books])
        assert all_same(await copy_database(source, target, silent))
        swapped = [{**book, "n": 3 - int(str(book["n"]))} for book in books]
        await database.batch([Put(BOOKS, book) for book in swapped])
        assert not all_same(await compare(source, target, silent))
        await database.batch(
            [Put(BOOKS, {"n": b["n"], "sk": b["sk"], "pk": b["pk"]}) for b in books]
        )
        assert all_same(await compare(source, target, silent))
