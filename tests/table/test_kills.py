"""Acknowledged transactions survive the kill of a process, and no partial one is stored.

A kill ends the process but not the operating system; `test_power` ends both.
"""

import asyncio
import signal
import time
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import IO

import pytest

from homeshelf.table.sqlite.engine import Sqlite
from tests.cases import seeded_random
from tests.forked_processes import Forked, running_module
from tests.table.programs import WRITERS, assert_whole

ROOT = Path(__file__).parents[2]


@dataclass
class Seen:
    """The transactions that the killed processes had acknowledged."""

    acknowledged: Counter[int] = field(default_factory=Counter)
    """The last number of each task."""
    kills_while_writing: int = 0

    def note(self, lines: list[str]) -> None:
        whole = [line for line in lines if line.endswith("\n") and line != "opening\n"]
        for line in whole:
            task, number = map(int, line.split())
            self.acknowledged[task] = max(self.acknowledged[task], number)
        self.kills_while_writing += bool(whole)


async def test_twenty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    await _kill_again_and_again(tmp_path / "homeshelf.db", kills=20)


@pytest.mark.torture
@pytest.mark.timeout(600)
async def test_a_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    await _kill_again_and_again(tmp_path / "homeshelf.db", kills=100)


async def test_file_opens_after_a_kill_during_its_creation(tmp_path: Path) -> None:
    dice = seeded_random()
    for round_ in range(8):
        path = tmp_path / f"{round_}.db"
        with _writing(path) as (process, _, output):
            assert output.readline() == "opening\n"
            await asyncio.sleep(dice.uniform(0, 0.012))
            process.kill()
        engine = Sqlite(path)
        assert await engine.check_tables() == []
        await engine.close()
        await assert_whole(path, {})


async def _kill_again_and_again(path: Path, kills: int) -> None:
    seen, dice = Seen(), seeded_random()
    for kill in range(kills):
        seen.note(_killed_while_writing(path, dice))
        if kill % 3:  # in the other rounds the next writing process recovers the file
            await assert_whole(path, seen.acknowledged)
    await assert_whole(path, seen.acknowledged)
    assert seen.kills_while_writing == kills
    assert min(seen.acknowledged[task] for task in range(WRITERS)) > 0


def _killed_while_writing(path: Path, dice: Random) -> list[str]:
    with _writing(path) as (process, _, output):
        lines = [output.readline(), output.readline()]
        time.sleep(dice.uniform(0, 0.15))
        assert process.is_alive(), "it ended by itself"
        process.kill()
        lines += output.readlines()
        assert process.wait() == -signal.SIGKILL
    return lines


def _writing(path: Path) -> AbstractContextManager[tuple[Forked, IO[str], IO[str]]]:
    return running_module("tests.table.programs", ["stream", str(path)], ROOT)
