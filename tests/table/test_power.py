"""Acknowledged transactions survive a power cut at any moment, and no partial one is stored."""

import asyncio
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import apsw
import pytest

from homeshelf.table.sqlite.engine import Sqlite
from tests.cases import seeded_random
from tests.table.programs import WRITERS, assert_whole, keep_writing

SECTOR = 512
Keeping = Literal["everything", "a part", "nothing"]
"""How much unsynced data survives the cut; "everything" is the end of the process only."""


@dataclass(frozen=True, slots=True)
class Write:
    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    file: str


@dataclass(frozen=True, slots=True)
class Remove:
    file: str


@dataclass(frozen=True, slots=True)
class Link:
    """The event that gives a file a second name."""

    file: str
    name: str


@dataclass(frozen=True, slots=True)
class Acknowledged:
    task: int
    number: int


Event = Write | Truncate | Sync | Remove | Link | Acknowledged


@contextmanager
def noted() -> Iterator[list[Event]]:
    """Record the file operations of SQLite during the block."""
    log: list[Event] = []
    vfs, hardlink_to = _Vfs(log), Path.hardlink_to

    def link(name: Path, file: Path) -> None:
        hardlink_to(name, file)
        log.append(Link(file.name, name.name))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "hardlink_to", link)
        try:
            yield log
        finally:
            vfs.unregister()


class _Vfs(apsw.VFS):
    def __init__(self, log: list[Event]) -> None:
        self.log = log
        super().__init__("noted", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "_File":  # noqa: N802  # SQLite's
        return _File(self.log, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  # SQLite's
        self.log.append(Remove(Path(filename).name))
        super().xDelete(filename, syncdir)


class _File(apsw.VFSFile):
    def __init__(
        self, log: list[Event], name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self.log, self.name = log, Path(path).name
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's
        self.log.append(Write(self.name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's
        self.log.append(Truncate(self.name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        super().xSync(flags)
        self.log.append(Sync(self.name))


@dataclass
class Disk:
    """The state of the files after the recorded events."""

    synced: dict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    waiting: dict[str, list[Write | Truncate]] = field(default_factory=lambda: defaultdict(list))

    def take(self, event: Event) -> None:
        match event:
            case Write() | Truncate():
                self.waiting[event.file].append(event)
            case Sync(file):
                for change in self.waiting.pop(file, []):
                    _apply(self.synced[file], change)
            case Remove(file):
                self.synced.pop(file, None)
                self.waiting.pop(file, None)
            case Link(file, name):
                self.synced[name] = bytearray(self.synced[file])
                self.waiting[name] = [*self.waiting.get(file, [])]

    def after_a_cut(self, folder: Path, keeping: Keeping, seeded_random: random.Random) -> None:
        """Write the files into a folder, as they are after a power cut."""
        for file in {*self.synced, *self.waiting}:
            content = bytearray(self.synced.get(file, b""))
            for change in self.waiting.get(file, []):
                kept = _kept(change, keeping, seeded_random)
                if kept:
                    _apply(content, kept)
            (folder / file).write_bytes(content)


def _kept(
    change: Write | Truncate, keeping: Keeping, seeded_random: random.Random
) -> Write | Truncate | None:
    if keeping == "everything":
        return change
    if keeping == "nothing" or seeded_random.random() < 0.3:
        return None
    if isinstance(change, Write) and seeded_random.random() < 0.3:
        sectors = seeded_random.randint(0, len(change.data) // SECTOR)
        return Write(change.file, change.offset, change.data[: sectors * SECTOR])
    return change


def _apply(content: bytearray, change: Write | Truncate) -> None:
    match change:
        case Write(_, offset, data):
            content.extend(bytes(max(0, offset + len(data) - len(content))))
            content[offset : offset + len(data)] = data
        case Truncate(_, size):
            del content[size:]


PAGES_BEFORE_A_CHECKPOINT = 60
"""SQLite waits for 1,000 pages; with fewer the log restarts several times in a short run."""
TRANSACTIONS = 600


@pytest.mark.parametrize("keeping", ["everything", "a part", "nothing"])
async def test_power_cut_loses_no_acknowledged_write(tmp_path: Path, keeping: Keeping) -> None:
    await _cut_power_repeatedly(tmp_path, keeping, cuts=60)


@pytest.mark.torture
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("keeping", ["everything", "a part", "nothing"])
async def test_many_power_cuts_lose_no_acknowledged_write(tmp_path: Path, keeping: Keeping) -> None:
    for run in range(12):
        (tmp_path / str(run)).mkdir()
        await _cut_power_repeatedly(tmp_path / str(run), keeping, cuts=100)


async def _cut_power_repeatedly(folder: Path, keeping: Keeping, cuts: int) -> None:
    log = await _log_of_a_run(folder / "homeshelf.db")
    assert sum(event == Sync("homeshelf.db") for event in log) > 3, "no checkpoint was under way"
    dice = seeded_random()
    moments = set(dice.sample(range(len(log)), cuts))
    disk, acknowledged = Disk(), Counter[int]()
    for moment, event in enumerate(log):
        disk.take(event)
        if isinstance(event, Acknowledged):
            acknowledged[event.task] = event.number
        if moment in moments:
            found = folder / str(moment)
            found.mkdir()
            disk.after_a_cut(found, keeping, dice)
            await assert_whole(found / "homeshelf.db", acknowledged)
            shutil.rmtree(found)


async def _log_of_a_run(path: Path) -> Sequence[Event]:
    with noted() as log:
        engine = Sqlite(path)
        engine._writer._connection.wal_autocheckpoint(PAGES_BEFORE_A_CHECKPOINT)
        enough = asyncio.Event()

        def done(task: int, number: int) -> None:
            log.append(Acknowledged(task, number))
            if number * WRITERS > TRANSACTIONS:
                enough.set()

        tasks = [asyncio.create_task(keep_writing(engine, task, done)) for task in range(WRITERS)]
        await enough.wait()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await engine.close()
    return log
