"""The JSON routes of a reader's own books."""

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from homeshelf import clock
from homeshelf.access import Person
from homeshelf.accounts.fields import TimeZone
from homeshelf.books import bodies, fields, import_jobs, store
from homeshelf.books.export import as_csv, as_json
from homeshelf.books.fields import BookId, ImportId, NoteId
from homeshelf.books.file_rows import KINDS, MAX_BYTES, BookFile
from homeshelf.books.limits import BookLimits
from homeshelf.books.model import Book, Import, Note, ReaderSettings, ReadingEvent
from homeshelf.books.statistics import statistics, today_in
from homeshelf.coordination.transaction import existing
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, TheServices
from homeshelf.web.spooling import spool_body

router = api_router()

REPORT = {"added": int, "skipped": int, "problems": list[dict[str, str | int]]}
PROGRESS = {"done": int, "total": int} | REPORT
SETTINGS = {"yearlyGoal": int | None}


@router.get("/books/export", responses=operation_responses(kinds=("text/csv", "application/json")))
async def export(
    reader: Person, db: Db, format_: Annotated[Literal["csv", "json"], Query(alias="format")]
) -> Response:
    return StreamingResponse(
        (as_csv if format_ == "csv" else as_json)(db, reader.member_id),
        media_type="text/csv; charset=utf-8" if format_ == "csv" else "application/json",
        headers={"Content-Disposition": f'attachment; filename="books.{format_}"'},
    )


@router.post(
    "/books/import",
    status_code=202,
    responses=operation_responses({"importId": str}, status=202) | operation_responses(REPORT),
)
@body_limits(BodyLimits(somebody=MAX_BYTES, counted=False, on_disk=True))
async def import_books(
    request: Request,
    reader: Person,
    services: TheServices,
    dry_run: Annotated[bool, Query(alias="dryRun")] = False,
) -> Response:
    turns = services.limits.of(BookLimits).files

    async def opened(closing: ExitStack) -> BookFile:
        kind = KINDS.get(request.headers.get("content-type", "").partition(";")[0].strip().lower())
        if kind is None:
            raise Invalid([("Content-Type", _("This must be text/csv or application/json."))])
        import_jobs.count(services.limits, reader.member_id, is_preview=dry_run)
        content = closing.enter_context(await spool_body(request))
        return await import_jobs.read(turns, content, kind, reader.member_id)

    async def begin(unit: Database) -> Import:
        with ExitStack() as unless_it_begins:
            file = await opened(unless_it_begins)
            begun = await import_jobs.start(services, unit, file)
            unless_it_begins.pop_all()
        return begun

    if dry_run and reader.request.stored is None:
        with ExitStack() as closing:
            file = await opened(closing)
            return Json((await import_jobs.preview(services.db, turns, file)).shown())
    return await reader.request.respond(
        services.db, begin, lambda begun: {"importId": begun.import_id}, 202
    )


@router.get("/books/imports/{importId}", responses=operation_responses(PROGRESS))
async def one_import(reader: Person, import_id: ImportId, db: Db) -> Response:
    found = await import_jobs.import_of(db, reader.member_id, import_id)
    return Json({name: getattr(found, name) for name in PROGRESS})


@router.get("/books", responses=operation_responses(page_of(Book)))
async def books(
    reader: Person,
    asked: PageAsked,
    db: Db,
    status: fields.Status | None = None,
    sort: store.Sort = "updatedAt_desc",
    q: Annotated[str | None, Query(min_length=1, max_length=100)] = None,
) -> Response:
    found, after = await store.list_books(
        db,
        reader.member_id,
        store.BookFilter(status, sort, q),
        asked.limit,
        asked.start(reader.caller),
    )
    return Json(asked.envelope(reader.caller, [shown(book) for book in found], after))


@router.post("/books", status_code=201, responses=operation_responses(Book, status=201))
async def add_book(reader: Person, body: bodies.NewBook, db: Db) -> Response:
    given, today = body.given(), today_in(reader.account.time_zone)
    return await reader.request.respond(
        db, lambda unit: store.add(unit, reader.member_id, given, today), status=201
    )


@router.get("/books/settings", responses=operation_responses(SETTINGS))
async def settings(reader: Person, db: Db) -> Response:
    return Json(_settings(await store.settings(db, reader.member_id)))


@router.patch("/books/settings", responses=operation_responses(SETTINGS))
async def change_settings(reader: Person, body: bodies.SettingsChange, db: Db) -> Response:
    default = ReaderSettings(user_id=reader.member_id)
    return await reader.request.respond(
        db, lambda unit: store.change_settings(unit, default, body.given()), _settings
    )


@router.get(
    "/books/stats",
    responses=operation_responses(
        {"booksFinished": int, "pagesRead": int, "pagesPerDay": list[dict[str, str | int]]}
    ),
)
async def stats(
    reader: Person,
    db: Db,
    year: Annotated[int | None, Query(ge=1, le=9999)] = None,
    time_zone: Annotated[TimeZone | None, Query(alias="timeZone")] = None,
) -> Response:
    zone = clock.zone_of(time_zone or reader.account.time_zone)
    found = await statistics(db, reader.member_id, year, zone)
    return Json(
        {
            "booksFinished": found.books_finished,
            "pagesRead": found.pages_read,
            "pagesPerDay": [
                {"date": day.isoformat(), "pages": pages}
                for day, pages in found.pages_per_day.items()
            ],
        }
    )


@router.get("/books/{bookId}", responses=operation_responses(Book))
async def book(reader: Person, book_id: BookId, db: Db) -> Response:
    return Json(shown(await existing(db, store.key_of(reader.member_id, book_id))))


@router.patch("/books/{bookId}", responses=operation_responses(Book))
async def edit_book(reader: Person, book_id: BookId, body: bodies.BookChange, db: Db) -> Response:
    key, today = store.key_of(reader.member_id, book_id), today_in(reader.account.time_zone)
    return await reader.request.respond(db, lambda unit: store.edit(unit, key, body.given(), today))


@router.delete("/books/{bookId}", status_code=204)
async def remove_book(reader: Person, book_id: BookId, db: Db) -> None:
    await store.remove(db, reader.member_id, book_id)


@router.post(
    "/books/{bookId}/page", status_code=201, responses=operation_responses(ReadingEvent, status=201)
)
async def reach_page(reader: Person, book_id: BookId, body: bodies.PageReached, db: Db) -> Response:
    return await reader.request.respond(
        db,
        lambda unit: store.reach_page(unit, store.key_of(reader.member_id, book_id), body.page),
        status=201,
    )


@router.get("/books/{bookId}/events", responses=operation_responses(page_of(ReadingEvent)))
async def events(
    reader: Person,
    book_id: BookId,
    asked: PageAsked,
    db: Db,
    order: Literal["asc", "desc"] = "asc",
    start: Annotated[fields.Timestamp | None, Query(alias="from")] = None,
    end: Annotated[fields.Timestamp | None, Query(alias="to")] = None,
) -> Response:
    await existing(db, store.key_of(reader.member_id, book_id))
    fields.require_order(start, end)
    query = store.timeline_between(reader.member_id, book_id, start, end).up_to_date()
    return await asked.answer(db, reader.caller, query.newest_first() if order == "desc" else query)


@router.get("/books/{bookId}/notes", responses=operation_responses(page_of(Note)))
async def notes_of(reader: Person, book_id: BookId, asked: PageAsked, db: Db) -> Response:
    await existing(db, store.key_of(reader.member_id, book_id))
    notes = store.notes_of(reader.member_id, book_id)
    return await asked.answer(db, reader.caller, notes.up_to_date())


@router.post(
    "/books/{bookId}/notes", status_code=201, responses=operation_responses(Note, status=201)
)
async def add_note(reader: Person, book_id: BookId, body: bodies.NewNote, db: Db) -> Response:
    return await reader.request.respond(
        db, lambda unit: store.add_note(unit, reader.member_id, book_id, body.content), status=201
    )


@router.patch("/books/{bookId}/notes/{noteId}", responses=operation_responses(Note))
async def edit_note(
    reader: Person, book_id: BookId, note_id: NoteId, body: bodies.NoteChange, db: Db
) -> Response:
    key = store.note_key(reader.member_id, book_id, note_id)
    return await reader.request.respond(db, lambda unit: store.edit_note(unit, key, body.content))


@router.delete("/books/{bookId}/notes/{noteId}", status_code=204)
async def remove_note(reader: Person, book_id: BookId, note_id: NoteId, db: Db) -> None:
    await store.remove_note(db, store.note_key(reader.member_id, book_id, note_id))


def _settings(found: ReaderSettings) -> dict[str, Any]:
    return {"yearlyGoal": found.yearly_goal}
