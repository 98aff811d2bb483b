"""Several processes share one file without errors and without lost changes."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import pytest

from homeshelf.table.operations import Query
from homeshelf.table.schema import BOOKS
from homeshelf.table.sqlite.engine import Sqlite
from tests.forked_processes import Forked, running_module
from tests.table.programs import COUNTER, EVENTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("processes", [2, 4])
async def test_increments_by_several_processes_add_up(tmp_path: Path, processes: int) -> None:
    path = tmp_path / "homeshelf.db"
    with _running(processes, "increment", str(path), str(2000 // processes)) as those:
        _send_to_all(those, "go")
    engine = Sqlite(path)
    found = await engine.get(COUNTER)
    assert found is not None
    assert found["version"] == 2000
    assert await engine.count(EVENTS) == 2000 // 10
    await engine.close()


@pytest.mark.parametrize("processes", [2, 4])
async def test_starting_and_ending_processes_do_not_disturb_each_other(
    tmp_path: Path, processes: int
) -> None:
    paths = [tmp_path / f"{number}.db" for number in range(10)]
    with _running(processes, "visit") as those:
        for path in paths:
            for _ in range(3):
                _send_to_all(those, str(path))
    for path in paths:
        engine = Sqlite(path)
        visits = (await engine.query(Query(BOOKS, "VISITS", dict))).items
        assert [visit["count"] for visit in visits] == [3] * processes
        await engine.close()


Process = tuple[Forked, IO[str], IO[str]]


@contextmanager
def _running(processes: int, program: str, *arguments: str) -> Iterator[list[Process]]:
    """Run the program in several processes; each must succeed and print only `ready` and `done`."""
    words = (program, *arguments)
    with ExitStack() as stack:
        started = [
            stack.enter_context(running_module("tests.table.programs", words, ROOT))
            for _ in range(processes)
        ]
        for _, _, hearing in started:
            assert hearing.readline() == "ready\n"
        yield started
        for process, telling, hearing in started:
            telling.close()
            assert (hearing.read(), process.wait(50)) == ("", 0)


def _send_to_all(processes: list[Process], line: str) -> None:
    """Send a line to all processes at once, and wait until each has handled it."""
    for _, telling, _ in processes:
        print(line, file=telling)
    for _, _, hearing in processes:
        said = hearing.readline()
        assert said == "done\n", said + hearing.read()
