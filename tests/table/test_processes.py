"""Several processes share one file: none sees an error, and no change overwrites another."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from homeshelf.table.operations import Query
from homeshelf.table.schema import BOOKS
from homeshelf.table.sqlite.engine import Sqlite
from tests.table.increment import COUNTER, EVENTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("processes", [2, 4])
async def test_increments_by_several_processes_add_up(tmp_path: Path, processes: int) -> None:
    path = tmp_path / "homeshelf.db"
    with _running(processes, "tests.table.increment", str(path), str(2000 // processes)) as those:
        _tell(those, "go")
    engine = Sqlite(path)
    found = await engine.get(COUNTER)
    assert found is not None
    assert found["version"] == 2000
    assert await engine.count(EVENTS) == 2000 // 10
    await engine.close()


@pytest.mark.parametrize("processes", [2, 4])
async def test_processes_that_come_and_go_leave_each_other_alone(
    tmp_path: Path, processes: int
) -> None:
    paths = [tmp_path / f"{number}.db" for number in range(10)]
    with _running(processes, "tests.table.open_and_close") as those:
        for path in paths:
            for _ in range(3):
                _tell(those, str(path))
    for path in paths:
        engine = Sqlite(path)
        visits = (await engine.query(Query(BOOKS, "VISITS", dict))).items
        assert [visit["count"] for visit in visits] == [3] * processes
        await engine.close()


Process = subprocess.Popen[str]


@contextmanager
def _running(processes: int, program: str, *arguments: str) -> Iterator[list[Process]]:
    """So many of the program at once; none may end badly, or say a word but `ready` and `done`."""
    command = [sys.executable, "-m", program, *arguments]
    started = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            text=True,
            bufsize=1,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for _ in range(processes)
    ]
    try:
        for process in started:
            assert _out(process).readline() == "ready\n"
        yield started
        for process in started:
            said, _ = process.communicate(timeout=50)
            assert (said, process.returncode) == ("", 0)
    finally:
        for process in started:
            process.kill()
            process.communicate()


def _tell(processes: list[Process], line: str) -> None:
    """The same to all of them at once, and wait until all have done it."""
    for process in processes:
        assert process.stdin
        print(line, file=process.stdin)
    for process in processes:
        said = _out(process).readline()
        assert said == "done\n", said + _out(process).read()


def _out(process: Process) -> IO[str]:
    assert process.stdout
    return process.stdout
