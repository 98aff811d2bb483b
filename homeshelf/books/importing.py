"""Putting a file of books onto a shelf, in the background and only what is not there yet.

Nothing is overwritten, and what has no id is given one that depends on reader and row alone: an
import that was interrupted is completed by repeating it.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.books import store
from homeshelf.books.model import Book, Import, Importing, Removal
from homeshelf.books.reading_files import (
    Entry,
    File,
    Kind,
    Problem,
    Row,
    Unreadable,
    entry_of,
    read_file,
)
from homeshelf.books.removing import sweep
from homeshelf.books.statistics import items_of
from homeshelf.errors import InUse, NotFound
from homeshelf.inventory.listing import plain
from homeshelf.table import (
    ConditionFailed,
    Database,
    TableError,
    TransactionCancelled,
    absent,
    attr,
    exists,
)
from homeshelf.table.answers import Also, nothing_else
from homeshelf.table.operations import Delete, Put

KEPT_SECONDS = 24 * 3600
HELD_SECONDS = 120
"""How long an import that is heard of no more keeps others of the same reader waiting."""
AT_A_TIME = 50
RENEWED_EVERY = 20
MOST_PROBLEMS = 1000
MOST_LETTERS = 200

Tasks = set[asyncio.Task[None]]
log = structlog.get_logger()


@dataclass
class Report:
    """What was done so far, or would be."""

    done: int = 0
    added: int = 0
    skipped: int = 0
    problems: list[Problem] = field(default_factory=list)

    def note(self, line: int, remarks: Iterable[str]) -> None:
        self.problems += [(line, remark[:MOST_LETTERS]) for remark in remarks]

    def shown(self) -> dict[str, Any]:
        problems = sorted(self.problems)[:MOST_PROBLEMS]
        return {
            "added": self.added,
            "skipped": self.skipped,
            "problems": [{"line": line, "message": why} for line, why in problems],
        }


class Known:
    """What stands on a shelf, to recognise it again."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._names: set[tuple[str, str]] = set()
        self._isbns: set[str] = set()

    def add(self, id_: str, title: str, author: str | None, isbn: str | None) -> None:
        self._ids.add(id_)
        self._names.add((plain(title), plain(author or "")))
        if isbn:
            self._isbns.add(isbn)

    def has(self, entry: Entry) -> bool:
        """A book that the file names itself is the same by its id alone."""
        book = entry.book
        if book.id in self._ids or entry.has_id:
            return book.id in self._ids
        named = (plain(book.title), plain(book.author or "")) in self._names
        return named or (book.isbn is not None and book.isbn in self._isbns)


async def found(db: Database, user_id: str, import_id: str) -> Import:
    it = await db.get(Import.key(user_id=user_id, import_id=import_id))
    if it is None:
        raise NotFound
    return it


async def read(content: bytes, kind: Kind, user_id: str) -> File:
    """Beside the answers to others: a large file takes its time."""
    return await asyncio.to_thread(read_file, content, kind, user_id, clock.timestamp())


async def preview(db: Database, user_id: str, file: File) -> Report:
    """What an import would do."""
    known, report = await _known(db, user_id), Report(problems=list(file.problems))
    for rows in _some(file.rows):
        for entry in await asyncio.to_thread(_entries, rows, user_id, report):
            if known.has(entry):
                report.skipped += 1
            else:
                report.added += 1
                report.note(entry.line, entry.remarks)
                _remember(known, entry.book)
    return report


async def begin(db: Database, user_id: str, file: File, also: Also = nothing_else) -> Import:
    """One at a time for each reader; what was begun and is heard of no more stands in no way."""
    new = Import(
        user_id=user_id,
        import_id=clock.new_id(),
        total=len(file.rows),
        ttl=clock.seconds() + KEPT_SECONDS,
    )
    held = _held(new).put(absent)
    try:
        await db.transact(held, new.put(absent), *also(new))
    except TransactionCancelled as cancelled:
        if cancelled.by(held):
            raise InUse(None, "An import is under way. Wait until it is done.") from None
        raise
    return new


async def carry_out(db: Database, begun: Import, file: File) -> None:
    """Until it is done, or this process ends."""
    report = Report(problems=list(file.problems))
    try:
        known = await _known(db, begun.user_id)
        for rows in _some(file.rows):
            entries = await asyncio.to_thread(_entries, rows, begun.user_id, report)
            await _put_some(db, begun, entries, known, report)
            report.done += len(rows)
            if report.done < begun.total:
                await _say(db, begun, report, _renewed(begun))
        if file.yearly_goal is not None and await store.settings(db, begun.user_id) is None:
            await store.set_goal(db, begun.user_id, {"yearly_goal": file.yearly_goal})
    except Exception as error:  # noqa: BLE001  # there is nobody to raise it to
        log.warning("import_failed", error=repr(error))
        report.note(0, ["Not all of it could be kept. Import the file once more."])
    report.done = begun.total
    with suppress(TableError):  # the reader is gone, or the database: nobody is told
        await _say(db, begun, report, _held(begun).delete(attr("importId") == begun.import_id))


def start(tasks: Tasks, db: Database, begun: Import, file: File) -> None:
    """The task is kept until it is done, so that nothing collects it."""
    task = asyncio.create_task(carry_out(db, begun, file))
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def end_imports(tasks: Tasks) -> None:
    """What is under way when the house closes is completed by importing the file again."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _put_some(
    db: Database, begun: Import, entries: Sequence[Entry], known: Known, report: Report
) -> None:
    """The books first, each if it is not there; then what belongs to them, likewise."""
    new = []
    for entry in entries:
        twice = known.has(entry)
        report.skipped += twice
        if twice and not entry.has_id:
            continue
        if not twice:
            report.added += 1
            report.note(entry.line, entry.remarks)
        _remember(known, entry.book)
        new.append(entry)
    if not new:
        return
    keys = [Removal.key(user_id=it.book.user_id, book_id=it.book.id) for it in new]
    for removal in await db.get_many(keys):
        if removal is not None:
            await sweep(db, removal.user_id, removal.book_id)
    await _put_absent(db, [entry.book.put(absent) for entry in new])
    rest = [it.put(absent) for entry in new for it in (*entry.notes, *entry.events)]
    for number, some in enumerate(_some(rest)):
        await _put_absent(db, some)
        if number % RENEWED_EVERY == RENEWED_EVERY - 1:
            await db.write(_renewed(begun))


async def _put_absent(db: Database, puts: Sequence[Put]) -> None:
    async def put(one: Put) -> None:
        try:
            await db.write(one)
        except ConditionFailed:
            return

    await asyncio.gather(*map(put, puts))


async def _say(db: Database, begun: Import, report: Report, hold: Put | Delete) -> None:
    """Where one reads that it is done, the next import may begin."""
    said = report.shown()
    now = begun.changed(
        done=report.done,
        added=said["added"],
        skipped=said["skipped"],
        problems=tuple(said["problems"]),
    )
    await db.transact(now.put(exists), hold)


async def _known(db: Database, user_id: str) -> Known:
    known = Known()
    async for item in items_of(db, store.shelf(user_id)):
        known.add(item["id"], item["title"], item.get("author"), item.get("isbn"))
    return known


def _remember(known: Known, book: Book) -> None:
    known.add(book.id, book.title, book.author, book.isbn)


def _entries(rows: Sequence[Row], user_id: str, report: Report) -> list[Entry]:
    now = clock.timestamp()
    found = []
    for row in rows:
        try:
            found.append(entry_of(row, user_id, now))
        except Unreadable as wrong:
            report.note(row.line, [str(wrong)])
    return found


def _held(begun: Import) -> Importing:
    until = clock.seconds() + HELD_SECONDS
    return Importing(user_id=begun.user_id, import_id=begun.import_id, ttl=until)


def _renewed(begun: Import) -> Put:
    """Fails where it is held no more: its reader has left, or another import goes on instead."""
    return _held(begun).put(attr("importId") == begun.import_id)


def _some(things: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for first in range(0, len(things), AT_A_TIME):
        yield things[first : first + AT_A_TIME]
