"""Import a file of books in the background, without overwriting anything.

Books without an id get one that depends on reader and row alone, so that repeating an interrupted
import completes it.
"""

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
from homeshelf.books.limits import BookLimits
from homeshelf.books.model import Import, Importing, Removal
from homeshelf.books.rows import BookFile, Entry, Kind, Row, Unreadable, entry_of, open_file
from homeshelf.books.statistics import items_of
from homeshelf.coordination.transaction import Transaction, existing, transaction
from homeshelf.errors import InUse
from homeshelf.folding import plain
from homeshelf.sentences import _, said
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

KEPT_SECONDS = 24 * 3600
HELD_SECONDS = 120
"""How long an import that has stopped keeps the same reader's others waiting."""
RETRY_SECONDS = (1, 2, 5, 10, 20, 30)
"""Less together than `HELD_SECONDS`."""
AT_A_TIME = 50
MOST_RECORDS = 500
"""At most `AT_A_TIME` books are written at once, and fewer if they have more records than this."""
RENEWED_EVERY = 20
MOST_PROBLEMS = 1000
MOST_BYTES_OF_ONE = 250
"""So that as many problems as there may be fit into one record."""

log = structlog.get_logger()


@dataclass
class Report:
    """The result of an import so far, or of a preview."""

    done: int = 0
    added: int = 0
    skipped: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)

    def note(self, line: int, remarks: Iterable[str]) -> None:
        for remark in remarks:
            if len(self.problems) < MOST_PROBLEMS:
                text = said(remark).encode()[:MOST_BYTES_OF_ONE].decode(errors="ignore")
                self.problems.append({"line": line, "message": text})

    def shown(self) -> dict[str, Any]:
        return {
            "added": self.added,
            "skipped": self.skipped,
            "problems": sorted(self.problems, key=itemgetter("line")),
        }


class Known:
    """The books of a shelf, to recognise them in a file."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._marks: set[str | tuple[str, str]] = set()

    def add(self, id_: str, title: str, author: str | None, isbn: str | None) -> None:
        self._ids.add(id_)
        self._marks |= _marks(title, author, isbn)

    def meet(self, entry: Entry, report: Report) -> bool:
        """Add a book to the report; return whether anything of it may be missing.

        An interrupted import may have left a book, known by its own id, without its notes.
        """
        book = entry.book
        is_there = book.id in self._ids
        # A book to which the file gives an id is the same by its id alone.
        if is_there or (
            not entry.row.has_id and self._marks & _marks(book.title, book.author, book.isbn)
        ):
            report.skipped += 1
            return is_there
        report.added += 1
        report.note(entry.row.line, entry.row.remarks)
        self.add(book.id, book.title, book.author, book.isbn)
        return True


def _marks(title: str, author: str | None, isbn: str | None) -> set[str | tuple[str, str]]:
    return {(plain(title), plain(author or "")), *([isbn] if isbn else [])}


async def import_of(db: Database, user_id: str, import_id: str) -> Import:
    return await existing(db, Import.key(user_id=user_id, import_id=import_id))


def count(limits: Limits, user_id: str, *, looks: bool) -> None:
    """Count a preview or an import of this reader; raise RateLimited if there are too many."""
    own = limits.of(BookLimits)
    (own.previews if looks else own.imports).take(user_id)


async def read(turns: Semaphore, content: IO[bytes], kind: Kind, user_id: str) -> BookFile:
    """Look through a file in a thread, so that other requests are answered meanwhile."""
    async with turns:
        return await asyncio.to_thread(open_file, content, kind, user_id, clock.timestamp())


async def preview(db: Database, turns: Semaphore, file: BookFile) -> Report:
    known, report, rows, more = await _known(db, file.user_id), Report(), file.rows(), True
    while more:
        async with turns:
            entries = await asyncio.to_thread(_next_entries, rows, file, report)
            for entry in entries:
                known.meet(entry, report)
            more = bool(entries)
            del entries  # or they would stay in memory while others have their turn
    return report


async def begin(db: Database, file: BookFile) -> Import:
    """Begin an import, the only one of its reader; one that has stopped does not count."""
    ttl = clock.seconds() + KEPT_SECONDS
    new = Import(user_id=file.user_id, import_id=clock.new_id(), total=file.total, ttl=ttl)
    return await _begin(db, new)


@transaction
async def _begin(tx: Transaction, new: Import) -> Import:
    async def refuse(_other: Item | None) -> None:
        raise InUse(None, _("An import is under way. Wait until it is done."))

    hold = _held(new)
    when: Condition = absent
    other = await tx.db.get(hold.own_key())
    # An import that goes on renews its hold by the clock as it is now.
    if other is not None and is_in_the_future(other.ttl - HELD_SECONDS):
        when = attr("ttl") == other.ttl
    tx.add(new)
    tx.write(hold.put(when).refusing(refuse))
    return new


async def carry_out(db: Database, turns: Semaphore, begun: Import, file: BookFile) -> None:
    """Import a file until it is done, or this process ends."""
    report = Report()
    try:
        await _put_all(db, turns, begun, file, report)
        if file.yearly_goal is not None:
            await store.set_first_goal(db, begun.user_id, file.yearly_goal)
    except Exception as error:  # noqa: BLE001  # there is nobody to raise it to
        log.warning("import_failed", error=repr(error))
        report.problems = report.problems[: MOST_PROBLEMS - 1]
        report.note(0, [_("Not all of it could be kept. Import the file once more.")])
    report.done = begun.total
    try:
        await _store_result(db, begun, report)
    except TableError as error:
        log.warning("import_unheard", error=repr(error))
        with suppress(TableError):
            if await db.get(begun.own_key()) is None:  # the reader's account was deleted meanwhile
                await store.forget_reader(db, begun.user_id)


class Imports:
    """The imports under way in this process."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, db: Database, turns: Semaphore, begun: Import, file: BookFile) -> None:
        """Start an import; the task is kept, so that it is not garbage-collected."""
        task = asyncio.create_task(carry_out(db, turns, begun, file))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda _: file.content.close())

    async def cancel(self) -> None:
        """Cancel the imports under way; importing the file again completes them."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def start(services: Services, unit: Database, file: BookFile) -> Import:
    """Begin an import and go on with it in the background, which closes the file in the end."""
    begun = await begin(unit, file)
    turns = services.limits.of(BookLimits).files
    services.of(Imports).start(unit, turns, begun, file)
    return begun


async def allow_imports(services: Services, closing: AsyncExitStack) -> None:
    imports = Imports()
    services.provide(Imports, imports)
    closing.push_async_callback(imports.cancel)


async def _put_all(
    db: Database, turns: Semaphore, begun: Import, file: BookFile, report: Report
) -> None:
    known, rows, more = await _known(db, begun.user_id), file.rows(), True
    while more:
        async with turns:
            entries = await asyncio.to_thread(_next_entries, rows, file, report)
            await _put_some(db, begun, [entry for entry in entries if known.meet(entry, report)])
            more = bool(entries)
            del entries  # or they would stay in memory while others have their turn
        if more and report.done < begun.total:
            await _store_progress(db, begun, report, _renewed(begun))


async def _put_some(db: Database, begun: Import, entries: Sequence[Entry]) -> None:
    """Put books that are not there, then their notes and events.

    If the reader deletes a book in between, its notes and events are deleted too.
    """
    for removal in await db.get_many(
        [Removal.key(user_id=it.book.user_id, book_id=it.book.id) for it in entries]
    ):
        if removal is not None:
            await store.sweep(db, removal.user_id, removal.book_id)
    await _put_absent(db, [entry.book.put(absent) for entry in entries])
    rest = [it.put(absent) for entry in entries for it in (*entry.notes, *entry.events)]
    for number, first in enumerate(range(0, len(rest), AT_A_TIME), 1):
        await _put_absent(db, rest[first : first + AT_A_TIME])
        if number % RENEWED_EVERY == 0:
            await db.write(_renewed(begun))
    with_more = [entry.book for entry in entries if entry.size > 1]
    books = await db.get_many([book.own_key() for book in with_more])
    for book, there in zip(with_more, books, strict=True):
        if there is None:
            await store.clear_rest(db, book.user_id, book.id)


async def _put_absent(db: Database, puts: Sequence[Put]) -> None:
    async def put(one: Put) -> None:
        with suppress(ConditionFailed):
            await db.write(one)

    await asyncio.gather(*map(put, puts))


async def _store_result(db: Database, begun: Import, report: Report) -> None:
    """Store the result, also if the database is away: the reader would wait for a day."""
    release = _held(begun).delete(attr("importId") == begun.import_id)
    for pause in RETRY_SECONDS:
        try:
            return await _store_progress(db, begun, report, release)
        except Unavailable:
            await asyncio.sleep(pause)
    return await _store_progress(db, begun, report, release)


async def _store_progress(db: Database, begun: Import, report: Report, hold: Put | Delete) -> None:
    """Store the progress and renew or release the hold; problems are stored at the end."""
    now = begun.changed(
        done=report.done,
        added=report.added,
        skipped=report.skipped,
        problems=tuple(report.shown()["problems"]) if report.done == begun.total else (),
    )
    await db.transact(now.put(exists), hold)


async def _known(db: Database, user_id: str) -> Known:
    known = Known()
    async for item in items_of(db, store.shelf(user_id)):
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
        if len(found) == AT_A_TIME or sum(entry.size for entry in found) >= MOST_RECORDS:
            break
    return found


def _held(begun: Import) -> Importing:
    return Importing(
        user_id=begun.user_id, import_id=begun.import_id, ttl=clock.seconds() + HELD_SECONDS
    )


def _renewed(begun: Import) -> Put:
    """Renew the hold; this fails if the reader was deleted or another import has begun."""
    return _held(begun).put(attr("importId") == begun.import_id)
