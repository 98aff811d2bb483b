"""The embedded engine, beside the same statements through bare apsw."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import apsw
import msgspec

from bench.figures import Figure, ratios
from bench.part import Report
from bench.rounds import Work, in_turn
from bench.table import sample
from bench.table.sizes import Sizes
from homeshelf.table.operations import Put
from homeshelf.table.schema import INVENTORY
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import open_file, open_reader
from homeshelf.table.sqlite.statements import Statements, select, selected

NOW = 2_000_000_000
TARGET = 2.0
CALLERS = (1, 8, 32, 128)
GET, QUERY = "get, CPU", f"query of {sample.PAGE}, CPU"
PUT, TRANSACTION = "conditional put, durable", "transaction of 3, durable"


def _at_once(callers: int) -> str:
    return f"transactions, {callers} at once"


FIGURES = [
    *ratios([GET, QUERY, PUT, TRANSACTION], TARGET),
    *(Figure(_at_once(callers), "rate") for callers in CALLERS),
]

_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode


async def run(report: Report, folder: Path, sizes: Sizes) -> None:
    engine = Sqlite(folder / "ours.db", sweep_every=None)
    bare = Bare(folder / "bare.db")
    await engine.batch(sample.EVERYTHING)
    bare.write(sample.EVERYTHING)
    report.step("embedded")
    for what, ours, beside in (
        (GET, _gets(engine), bare.gets),
        (QUERY, _queries(engine), bare.queries),
    ):
        took = await in_turn(ours, beside, times=20, rounds=sizes.reads, timer=process_time)
        report.measured(what, *took)
    for what, ours, beside in (
        (PUT, _puts(engine), bare.puts),
        (TRANSACTION, _transactions(engine), bare.transactions),
    ):
        report.measured(what, *await in_turn(ours, beside, times=1, rounds=sizes.writes))
    one_by_one = _rate(bare, sizes.seconds)
    for callers in CALLERS:
        rate = median([await _together(engine, callers, sizes.seconds) for _ in range(3)])
        report.measured(_at_once(callers), rate, one_by_one)
    await engine.close()
    bare.close()


def _gets(engine: Sqlite) -> Work:
    async def work(times: int) -> None:
        for number in range(times):
            assert await engine.get(sample.KEYS[number % sample.ITEMS])

    return work


def _queries(engine: Sqlite) -> Work:
    async def work(times: int) -> None:
        for _ in range(times):
            assert len((await engine.query(sample.FIRST_PAGE)).items) == sample.PAGE

    return work


def _puts(engine: Sqlite) -> Work:
    async def work(times: int) -> None:
        for number in range(times):
            await engine.put(sample.PUTS[number % sample.ITEMS])

    return work


def _transactions(engine: Sqlite) -> Work:
    async def work(times: int) -> None:
        for number in range(times):
            await engine.transact(sample.TRANSACTIONS[number % sample.ITEMS])

    return work


class Bare:
    """The least that does the same: the engine's statements, one commit for each change."""

    def __init__(self, path: Path) -> None:
        self._writer = open_file(path)
        self._reader = open_reader(path)
        self._statements = Statements(INVENTORY)

    async def gets(self, times: int) -> None:
        for number in range(times):
            key = sample.KEYS[number % sample.ITEMS]
            assert self._get(self._reader, key.partition, key.sort)

    async def queries(self, times: int) -> None:
        for _ in range(times):
            query = sample.FIRST_PAGE
            cursor = self._reader.execute(select(query), selected(query, NOW))
            found = []
            for text, *_ in cursor:
                item = _decode(text)
                if item["entityType"] == sample.KIND:
                    found.append(item)
                if len(found) > sample.PAGE:
                    break
            cursor.close()
            assert len(found) == sample.PAGE + 1

    async def puts(self, times: int) -> None:
        for number in range(times):
            self.write([sample.PUTS[number % sample.ITEMS]])

    async def transactions(self, times: int) -> None:
        for number in range(times):
            self.write(sample.TRANSACTIONS[number % sample.ITEMS])

    def write(self, puts: Sequence[Put]) -> None:
        execute = self._writer.execute
        execute("BEGIN IMMEDIATE")
        for put in puts:
            found = self._get(self._writer, put.item["PK"], put.item["SK"])
            assert put.when is None or (found and found["version"] == 1)
        for put in puts:
            text = _encode(put.item).decode()
            execute(self._statements.put, self._statements.row(put.item, text))
        execute("COMMIT")

    def close(self) -> None:
        self._reader.close()
        self._writer.close()

    def _get(self, connection: apsw.Connection, *key: object) -> Any:
        text = connection.execute(self._statements.get, (*key, NOW)).get
        return None if text is None else _decode(text)


def _rate(bare: Bare, seconds: float) -> float:
    began, done = perf_counter(), 0
    while perf_counter() - began < seconds:
        bare.write(sample.TRANSACTIONS[done % sample.ITEMS])
        done += 1
    return done / (perf_counter() - began)


async def _together(engine: Sqlite, callers: int, seconds: float) -> float:
    began, done = perf_counter(), 0

    async def call(number: int) -> None:
        nonlocal done
        while perf_counter() - began < seconds:
            await engine.transact(sample.TRANSACTIONS[number % sample.ITEMS])
            done, number = done + 1, number + callers

    await asyncio.gather(*map(call, range(callers)))
    return done / (perf_counter() - began)
