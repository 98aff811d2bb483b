"""A disk that notes what SQLite does to it, and can say what a power cut would have left.

What was written and not yet synced may be there, be missing or be there in part, in any mixture.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import apsw
import pytest

SECTOR = 512
Keeping = Literal["everything", "a part", "nothing"]
"""How much of what was not synced outlives the cut; everything does when only the process dies."""


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
    """A file has a second name from now on."""

    file: str
    name: str


@dataclass(frozen=True, slots=True)
class Acknowledged:
    task: int
    number: int


Event = Write | Truncate | Sync | Remove | Link | Acknowledged


@contextmanager
def noted() -> Iterator[list[Event]]:
    """While this is open, SQLite goes through here."""
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
    """What the events so far have made of the files."""

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

    def after_a_cut(self, folder: Path, keeping: Keeping, chance: random.Random) -> None:
        """Puts the files as they would be found into a folder."""
        for file in {*self.synced, *self.waiting}:
            content = bytearray(self.synced.get(file, b""))
            for change in self.waiting.get(file, []):
                kept = _kept(change, keeping, chance)
                if kept:
                    _apply(content, kept)
            (folder / file).write_bytes(content)


def _kept(
    change: Write | Truncate, keeping: Keeping, chance: random.Random
) -> Write | Truncate | None:
    if keeping == "everything":
        return change
    if keeping == "nothing" or chance.random() < 0.3:
        return None
    if isinstance(change, Write) and chance.random() < 0.3:
        sectors = chance.randint(0, len(change.data) // SECTOR)
        return Write(change.file, change.offset, change.data[: sectors * SECTOR])
    return change


def _apply(content: bytearray, change: Write | Truncate) -> None:
    match change:
        case Write(_, offset, data):
            content.extend(bytes(max(0, offset + len(data) - len(content))))
            content[offset : offset + len(data)] = data
        case Truncate(_, size):
            del content[size:]
