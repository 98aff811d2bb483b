"""Expired records are swept in the background, even after a sweep fails."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from homeshelf.table.engine import Unavailable
from homeshelf.table.sqlite.engine import Sqlite
from tests.table.faulty_engines import locked
from tests.table.support import Clock, Place, eventually

GONE = "SELECT count(*) FROM InventoryManagement WHERE SK = 'old'"


async def test_sweeping_continues_after_a_failed_sweep(
    tmp_path: Path, clock: Clock, home: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    engine = _opened(tmp_path, clock)
    await engine.write(home.put("new"))
    with locked(engine.path):
        await eventually(_said(capfd, "sweep_failed"), bool)
    await engine.write(home.put("old", ttl=clock.now + 10))
    clock.forward(11)
    await eventually(_left(engine.path), lambda left: left == 0)
    await engine.close()


async def test_a_sweep_that_failed_in_any_way_does_not_keep_the_file_open(
    tmp_path: Path, clock: Clock, home: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    engine = _opened(tmp_path, clock)
    await engine.write(home.put("new"))
    with _mistake_in_sweeping(engine):
        await eventually(_said(capfd, "sweep_failed"), bool)
        await engine.close()
    assert _files_in(tmp_path) == ["homeshelf.db"], "it is closed"


async def test_close_closes_all_connections_despite_failures(
    tmp_path: Path, clock: Clock, home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = _opened(tmp_path, clock)
    await engine.write(home.put("new"))

    async def fails() -> None:
        raise RuntimeError("it could not wait")

    monkeypatch.setattr(engine.in_flight, "close", fails)
    with pytest.raises(RuntimeError, match="could not wait"):
        await engine.close()
    assert _files_in(tmp_path) == ["homeshelf.db"], "it is closed"
    with pytest.raises(Unavailable):
        await engine._writer.do(lambda _: None)


def _opened(folder: Path, clock: Clock) -> Sqlite:
    return Sqlite(folder / "homeshelf.db", seconds=clock, sweep_every=0.02, wait_seconds=0.1)


@contextmanager
def _mistake_in_sweeping(engine: Sqlite) -> Iterator[None]:
    """Make the sweep raise an unexpected error, as opposed to a busy database."""

    def mistake() -> int:
        raise ValueError("a mistake")

    kept, engine._seconds = engine._seconds, mistake
    yield
    engine._seconds = kept


def _files_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _said(capfd: pytest.CaptureFixture[str], word: str) -> Callable[[], Awaitable[bool]]:
    async def read() -> bool:
        captured = capfd.readouterr()
        return word in captured.out + captured.err

    return read


def _left(path: Path) -> Callable[[], Awaitable[int]]:
    async def read() -> int:
        with closing(apsw.Connection(str(path))) as connection:
            return int(connection.execute(GONE).get)

    return read
