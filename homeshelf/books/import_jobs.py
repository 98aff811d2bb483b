"""Import a file of books in the background; importing it again completes an interrupted import."""

import asyncio
from asyncio import Semaphore
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import IO, Any

import structlog

from homeshelf import clock
from homeshelf.books import store
from homeshelf.books.file_rows import BookFile, Entry, Kind, Row, Unreadable, entry_of, open_file
from homeshelf.books.limits import BookLimits
from homeshelf.books.model import Import, Importing, Removal
from homeshelf.books.statistics import iterate_items
from homeshelf.coordination.transaction import Transaction, existing, transaction
from homeshelf.errors import InUse
from homeshelf.folding import plain
from homeshelf.sentences import _, translate
from homeshelf.table import (
    Condition,
    ConditionFailed,
    Database,
    Delete,
    Item,
    Put,
    TableError,
    Unavailable,
    absent,
    attr,
    exists,
)
from homeshelf.table.deadlines import is_in_the_future
from homeshelf.web.limits import Limits
from homeshelf.web.services import Services

RESULT_SECONDS = 24 * 3600
LOCK_SECONDS = 120
"""The time until a stopped import no longer blocks the reader's next one."""
RETRY_SECONDS = (1, 2, 5, 10, 20, 30)
"""The pauses between retries, in total less than `LOCK_SECONDS`."""
AT_A_TIME = 50
MAX_RECORDS = 500
"""The limit on the records of the books that are written at once."""
RENEW_EVERY = 20
MAX_PROBLEMS = 1000
MAX_PROBLEM_BYTES = 250
"""The limit on a problem's text, so that all problems fit into one record."""

log = structlog.get_logger()


@dataclass
class Report:
    done: int = 0
    added: int = 0
    skipped: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)

    def note(self, line: int, remarks: Iterable[str]) -> None:
        for remark in remarks:
            if len(self.problems) < MAX_PROBLEMS:
                text = translate(remark).encode()[:MAX_PROBLEM_BYTES].decode(errors="ignore")
                self.problems.append({"line": line, "message": text})

    def shown(self) -> dict[str, Any]:
        return {
            "added": self.added,
            "skipped": self.skipped,
            "problems": sorted(self.problems, key=itemgetter("line")),
        }


class ShelfIndex:
    """The ids, titles and ISBNs of a shelf, to recognise its books in a file."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._marks: set[str | tuple[str, str]] = set()

    def add(self, id_: str, title: str, author: str | None, isbn: str | None) -> None:
        self._ids.add(id_)
        self._marks |= _identity_marks(title, author, isbn)

    def add_entry(self, entry: Entry, report: Report) -> bool:
        """Add a book to the report; return whether to write it, or its missing notes."""
        book = entry.book
        exists = book.id in self._ids
        marks = _identity_marks(book.title, book.author, book.isbn)
        # A book with an id in the file is compared by its id alone.
        if exists or (not entry.row.has_id and self._marks & marks):
            report.skipped += 1
            return exists
        report.added += 1
        report.note(entry.row.line, entry.row.remarks)
        self.add(book.id, book.title, book.author, book.isbn)
        return True


def _identity_marks(title: str, author: str | None, isbn: str | None) -> set[str | tuple[str, str]]:
    return {(plain(title), plain(author or "")), *([isbn] if isbn else [])}


async def import_of(db: Database, user_id: str, import_id: str) -> Import:
    return await existing(db, Import.key(user_id=user_id, import_id=import_id))


def count(limits: Limits, user_id: str, *, is_preview: bool) -> None:
    """Count a preview or an import of this reader; raise RateLimited if there are too many."""
    own = limits.of(BookLimits)
    (own.previews if is_preview else own.imports).take(user_id)


async def read(turns: Semaphore, content: IO[bytes], kind: Kind, user_id: str) -> BookFile:
    """Check a file in a thread, so that other requests are answered in the meantime."""
    async with turns:
        return await asyncio.to_thread(open_file, content, kind, user_id, clock.timestamp())


async def preview(db: Database, turns: Semaphore, file: BookFile) -> Report:
    known, report, rows, more = await _index_of_shelf(db, file.user_id), Report(), file.rows(), True
    while more:
        async with turns:
            entries = await asyncio.to_thread(_next_entries, rows, file, report)
            for entry in entries:
                known.add_entry(entry, report)
            more = bool(entries)
            del entries  # free the memory while other files have their turn
    return report


async def begin(db: Database, file: BookFile) -> Import:
    """Begin an import; raise InUse if another import of this reader is running."""
    ttl = clock.seconds() + RESULT_SECONDS
    new = Import(user_id=file.user_id, import_id=clock.new_id(), total=file.total, ttl=ttl)
    return await _begin(db, new)


@transaction
async def _begin(tx: Transaction, new: Import) -> Import:
    async def refuse(_other: Item | None) -> None:
        raise InUse(None, _("An import is still running. Wait until it’s done."))

    hold = _import_lock(new)
    when: Condition = absent
    other = await tx.db.get(hold.own_key())
    # A running import renews its lock by the current clock.
    if other is not None and is_in_the_future(other.ttl - LOCK_SECONDS):
        when = attr("ttl") == other.ttl
    tx.add(new)
    tx.write(hold.put(when).with_refusal(refuse))
    return new


async def run_import(db: Database, turns: Semaphore, begun: Import, file: BookFile) -> None:
    report = Report()
    try:
        await _put_all(db, turns, begun, file, report)
        if file.yearly_goal is not None:
            await store.set_initial_goal(db, begun.user_id, file.yearly_goal)
    except Exception as error:  # noqa: BLE001  # no caller is left to raise it to
        log.warning("import_failed", error=repr(error))
        report.problems = report.problems[: MAX_PROBLEMS - 1]
        report.note(0, [_("Some books couldn’t be saved. Import the file again.")])
    report.done = begun.total
    try:
        await _store_result(db, begun, report)
    except TableError as error:
        log.warning("import_unheard", error=repr(error))
        with suppress(TableError):
            if (
                await db.get(begun.own_key()) is None
            ):  # the reader's account was deleted during the import
                await store.forget_reader(db, begun.user_id)


class Imports:
    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, db: Database, turns: Semaphore, begun: Import, file: BookFile) -> None:
        """Start an import, keeping a reference so that the task is not garbage-collected."""
        task = asyncio.create_task(run_import(db, turns, begun, file))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda _: file.content.close())

    async def cancel(self) -> None:
        """Cancel the running imports; importing the file again completes them."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def start(services: Services, unit: Database, file: BookFile) -> Import:
    """Begin an import and continue it in the background, which closes the file at the end."""
    begun = await begin(unit, file)
    turns = services.limits.of(BookLimits).files
    services.of(Imports).start(unit, turns, begun, file)
    return begun


async def provide_imports(services: Services, closing: AsyncExitStack) -> None:
    imports = Imports()
    services.provide(Imports, imports)
    closing.push_async_callback(imports.cancel)


async def _put_all(
    db: Database, turns: Semaphore, begun: Import, file: BookFile, report: Report
) -> None:
    known, rows, more = await _index_of_shelf(db, begun.user_id), file.rows(), True
    while more:
        async with turns:
            entries = await asyncio.to_thread(_next_entries, rows, file, report)
            await _put_entries(
                db, begun, [entry for entry in entries if known.add_entry(entry, report)]
            )
            more = bool(entries)
            del entries  # free the memory while other files have their turn
        if more and report.done < begun.total:
            await _store_progress(db, begun, report, _renew_lock(begun))


async def _put_entries(db: Database, begun: Import, entries: Sequence[Entry]) -> None:
    """Put absent books, then their notes and events; delete those if the book is deleted."""
    for removal in await db.get_many(
        [Removal.key(user_id=it.book.user_id, book_id=it.book.id) for it in entries]
    ):
        if removal is not None:
            await store.delete_leftovers(db, removal.user_id, removal.book_id)
    await _put_absent(db, [entry.book.put(absent) for entry in entries])
    rest = [it.put(absent) for entry in entries for it in (*entry.notes, *entry.events)]
    for number, first in enumerate(range(0, len(rest), AT_A_TIME), 1):
        await _put_absent(db, rest[first : first + AT_A_TIME])
        if number % RENEW_EVERY == 0:
            await db.write(_renew_lock(begun))
    with_more = [entry.book for entry in entries if entry.size > 1]
    books = await db.get_many([book.own_key() for book in with_more])
    for book, there in zip(with_more, books, strict=True):
        if there is None:
            await store.delete_notes_and_events(db, book.user_id, book.id)


async def _put_absent(db: Database, puts: Sequence[Put]) -> None:
    async def put(one: Put) -> None:
        with suppress(ConditionFailed):
            await db.write(one)

    await asyncio.gather(*map(put, puts))


async def _store_result(db: Database, begun: Import, report: Report) -> None:
    """Store the result, retrying while the database is unavailable."""
    release = _import_lock(begun).delete(attr("importId") == begun.import_id)
    for pause in RETRY_SECONDS:
        try:
            return await _store_progress(db, begun, report, release)
        except Unavailable:
            await asyncio.sleep(pause)
    return await _store_progress(db, begun, report, release)


async def _store_progress(db: Database, begun: Import, report: Report, hold: Put | Delete) -> None:
    """Store the progress, and at the end the problems; renew or release the lock."""
    now = begun.changed(
        done=report.done,
        added=report.added,
        skipped=report.skipped,
        problems=tuple(report.shown()["problems"]) if report.done == begun.total else (),
    )
    await db.transact(now.put(exists), hold)


async def _index_of_shelf(db: Database, user_id: str) -> ShelfIndex:
    known = ShelfIndex()
    async for item in iterate_items(db, store.shelf(user_id)):
        known.add(item["id"], item["title"], item.get("author"), item.get("isbn"))
    return known


def _next_entries(rows: Iterator[Row], file: BookFile, report: Report) -> list[Entry]:
    found: list[Entry] = []
    for row in rows:
        report.done += 1
        try:
            found.append(entry_of(row, file.user_id, file.now))
        except Unreadable as wrong:
            report.note(row.line, [str(wrong)])
        if len(found) == AT_A_TIME or sum(entry.size for entry in found) >= MAX_RECORDS:
            break
    return found


def _import_lock(begun: Import) -> Importing:
    return Importing(
        user_id=begun.user_id, import_id=begun.import_id, ttl=clock.seconds() + LOCK_SECONDS
    )


def _renew_lock(begun: Import) -> Put:
    """Renew the lock, unless the reader was deleted or another import has begun."""
    return _import_lock(begun).put(attr("importId") == begun.import_id)
