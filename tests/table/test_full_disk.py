"""A full disk refuses changes, and loses no earlier one."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from homeshelf.table import BOOKS, Unavailable
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.engine import Sqlite

ROOM = 300_000
PUTS = [
    Put(BOOKS, {"pk": str(number % 7), "sk": str(number), "text": "x" * 2000})
    for number in range(400)
]


async def test_write_on_a_full_disk_raises_unavailable_and_keeps_other_records(
    tmp_path: Path,
) -> None:
    path = tmp_path / "homeshelf.db"
    engine = Sqlite(path)
    with _files_of_at_most(ROOM):
        taken = await _put_all(engine, together=True) + await _put_all(engine, together=False)
    assert 0 < len(taken) < len(PUTS)
    assert await _found(engine, taken) == [put.item for put in taken]
    assert await _put_all(engine, together=True) == PUTS, "there is room again"
    await engine.close()
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_acknowledged_writes_are_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "homeshelf.db"
    engine = Sqlite(path)
    with _files_of_at_most(ROOM):
        taken = await _put_all(engine, together=True)
        await engine.close()
    assert 0 < len(taken) < len(PUTS)
    engine = Sqlite(path)
    assert await _found(engine, taken) == [put.item for put in taken]
    await engine.close()


async def _put_all(engine: Sqlite, *, together: bool) -> list[Put]:
    """Return the puts that the engine accepted."""
    if together:
        results = await asyncio.gather(*map(engine.write, PUTS), return_exceptions=True)
    else:
        results = [
            (await asyncio.gather(engine.write(put), return_exceptions=True))[0] for put in PUTS
        ]
    refused = [result for result in results if isinstance(result, BaseException)]
    assert all(isinstance(error, Unavailable) for error in refused), refused
    return [
        put
        for put, result in zip(PUTS, results, strict=True)
        if not isinstance(result, BaseException)
    ]


async def _found(engine: Sqlite, puts: list[Put]) -> list[Item | None]:
    return [await engine.get(put.key) for put in puts]


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    """Limit the size of files, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
