"""The shelf, a book, and the year: pages of a reader's own."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query, Request, Response

from homeshelf import clock
from homeshelf.access import Person, SignedIn
from homeshelf.access.shell import shell_for
from homeshelf.books import notes, removing, store
from homeshelf.books.bodies import BookForm, NewNote, PageForm, RatingForm, StatusForm
from homeshelf.books.charts import timeline_chart
from homeshelf.books.covers import cover
from homeshelf.books.listing import Sort, Wanted, listed
from homeshelf.books.model import Book, ReadingEvent, Status
from homeshelf.books.pace import forecast
from homeshelf.books.statistics import today_in
from homeshelf.errors import Invalid, NotFound
from homeshelf.table import Database
from homeshelf.web.body import Search
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import BookId, NoteId
from homeshelf.web.pages import page, see_other
from homeshelf.web.paging import PageAsked, Paging
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices

router = page_router("/books")

DRAWN = 400
"""As many of the newest events are in a book's drawing."""
NOTES_SHOWN = 100
STATUSES: Mapping[str, str] = {"": "All", "READING": "Reading", "SHELF": "To read", "READ": "Read"}
SORTS: Mapping[Sort, str] = {
    "updatedAt_desc": "Latest first",
    "updatedAt_asc": "Oldest first",
    "title": "By title",
}
GONE = "This book is not on your shelf any more."


@router.get("")
async def shelf_page(
    request: Request,
    reader: Person,
    services: TheServices,
    asked: PageAsked,
    q: Search = "",
    show: Annotated[str, Query(max_length=10)] = "",
    sort: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    wanted = Wanted(_status(show), _sort(sort), q.strip() or None)
    start = asked.start(reader.caller)
    books, after = await listed(services.db, reader.member_id, wanted, asked.limit, start)
    return page(
        request,
        "books/shelf.html",
        shell=await shell_for(request, services, reader),
        books=books,
        cover=cover,
        more=asked.following(reader.caller, after),
        statuses=STATUSES,
        sorts=SORTS,
        q=q,
        show=wanted.status or "",
        sort=wanted.sort,
    )


@router.get("/new")
async def new_book_page(
    request: Request,
    reader: Person,
    services: TheServices,
    title: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    return await _edit(request, services, reader, Form(BookForm, {"title": title}))


@router.post("/new")
async def add_book(request: Request, reader: Person, services: TheServices) -> Response:
    form = await sent_form(request, BookForm)
    if form.body is None:
        return await _edit(request, services, reader, form)
    today = today_in(reader.account.time_zone)
    given = {"title": form.body.title} | form.body.details(form.typed)
    try:
        new = await store.add(services.db, reader.member_id, given, today)
    except Invalid as wrong:
        return await _edit(request, services, reader, form.but(**dict(wrong.errors)))
    return see_other(f"/books/{new.id}")


@router.get("/{bookId}")
async def book_page(
    request: Request,
    reader: Person,
    book_id: BookId,
    services: TheServices,
    asked: PageAsked,
    said: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    return await _book(request, reader, services, book_id, said=said, asked=asked)


@router.get("/{bookId}/edit")
async def edit_book_page(
    request: Request, reader: Person, book_id: BookId, services: TheServices
) -> Response:
    book = await _found(services.db, reader, book_id)
    typed = _typed(book)
    return await _edit(
        request, services, reader, Form(BookForm, typed | {"before": json.dumps(typed)}), book
    )


@router.post("/{bookId}/edit")
async def edit_book(
    request: Request, reader: Person, book_id: BookId, services: TheServices
) -> Response:
    form = await sent_form(request, BookForm)
    book = await _found(services.db, reader, book_id)
    if form.body is None:
        return await _edit(request, services, reader, form, book)
    changes, today = form.body.details(form.typed), today_in(reader.account.time_zone)
    try:
        await store.edit(services.db, book.own_key(), changes, today)
    except Invalid as wrong:
        return await _edit(request, services, reader, form.but(**dict(wrong.errors)), book)
    return see_other(f"/books/{book_id}")


@router.post("/{bookId}/page")
async def reach_page(
    request: Request, reader: Person, book_id: BookId, services: TheServices
) -> Response:
    form = await sent_form(request, PageForm)
    reached = form.body.reached if form.body is not None else None
    key = store.key_of(reader.member_id, book_id)
    if reached is None:
        wrong = form.but(page=form.wrong.get("page", "Which page are you on?"))
        return await _book(request, reader, services, book_id, reading=wrong)
    try:
        await store.reach_page(services.db, key, reached)
    except Invalid as refused:
        wrong = form.but(page=refused.detail)
        return await _book(request, reader, services, book_id, reading=wrong)
    book = await store.book(services.db, reader.member_id, book_id)
    stays = book is not None and not book.is_at_its_end  # the book's page offers to finish it
    return see_other("/" if stays and form.typed.get("back") == "home" else f"/books/{book_id}")


@router.post("/{bookId}/status")
async def set_status(
    request: Request, reader: Person, book_id: BookId, services: TheServices
) -> Response:
    form = await sent_form(request, StatusForm)
    if form.body is None:
        return await _book(request, reader, services, book_id)
    key, today = store.key_of(reader.member_id, book_id), today_in(reader.account.time_zone)
    new = await store.edit(services.db, key, {"status": form.body.status}, today)
    return see_other(f"/books/{book_id}{'?said=finished' if new.status == 'READ' else ''}")


@router.post("/{bookId}/rating")
async def rate(
    request: Request, reader: Person, book_id: BookId, services: TheServices
) -> Response:
    form = await sent_form(request, RatingForm)
    if form.body is None:
        return await _book(request, reader, services, book_id)
    key, today = store.key_of(reader.member_id, book_id), today_in(reader.account.time_zone)
    await store.edit(services.db, key, {"rating": form.body.rating}, today)
    return see_other(f"/books/{book_id}")


@router.post("/{bookId}/notes")
async def add_note(
    request: Request, reader: Person, book_id: BookId, services: TheServices
) -> Response:
    form = await sent_form(request, NewNote)
    if form.body is None:
        return await _book(request, reader, services, book_id, note=form)
    await notes.add(services.db, reader.member_id, book_id, form.body.content)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/notes/{noteId}")
async def edit_note(
    request: Request, reader: Person, book_id: BookId, note_id: NoteId, services: TheServices
) -> Response:
    form = await sent_form(request, NewNote)
    if form.body is None:
        return await _book(request, reader, services, book_id, note=form, note_id=note_id)
    await notes.edit(services.db, reader.member_id, book_id, note_id, form.body.content)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/notes/{noteId}/delete")
async def remove_note(
    reader: Person, book_id: BookId, note_id: NoteId, services: TheServices
) -> Response:
    await notes.remove(services.db, reader.member_id, book_id, note_id)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/delete")
async def remove_book(reader: Person, book_id: BookId, services: TheServices) -> Response:
    await removing.remove(services.db, reader.member_id, book_id)
    return see_other("/books")


async def _book(
    request: Request,
    reader: SignedIn,
    services: Services,
    book_id: str,
    *,
    said: str = "",
    reading: Form[PageForm] | None = None,
    note: Form[NewNote] | None = None,
    note_id: str = "",
    asked: Paging | None = None,
) -> Response:
    """`note_id` names the note that the form `note` is about; without it that is a new one."""
    book = await _found(services.db, reader, book_id)
    events = await latest(services.db, reader.member_id, book_id)
    written = store.notes_of(reader.member_id, book_id).up_to_date().newest_first()
    start = asked.start(reader.caller) if asked else None
    notes_found = await services.db.query(written.page(NOTES_SHOWN, start))
    wrong = any(form is not None and form.wrong for form in (reading, note))
    return page(
        request,
        "books/book.html",
        400 if wrong else 200,
        shell=await shell_for(request, services, reader),
        book=book,
        cover=cover,
        events=events,
        chart=_chart(book, events, reader.account.time_zone),
        forecast=forecast(book, events, clock.now()) if book.status == "READING" else None,
        notes=notes_found.items,
        older=asked.following(reader.caller, notes_found.next) if asked else None,
        said=said,
        reading=reading or Form(PageForm),
        note=note or Form(NewNote),
        note_id=note_id,
        ratings=[half / 2 for half in range(2, 11)],
    )


async def _edit(
    request: Request,
    services: Services,
    reader: SignedIn,
    form: Form[BookForm],
    book: Book | None = None,
) -> Response:
    return page(
        request,
        "books/edit.html",
        400 if form.wrong else 200,
        shell=await shell_for(request, services, reader),
        form=form,
        book=book,
        statuses=STATUSES,
    )


async def latest(db: Database, user_id: str, book_id: str) -> list[ReadingEvent]:
    """Oldest first."""
    query = store.timeline(user_id, book_id).up_to_date().newest_first()
    return list((await db.query(query.page(DRAWN))).items)[::-1]


def _chart(book: Book, events: Sequence[ReadingEvent], time_zone: str) -> Any:
    if len(events) < 2:
        return None
    told = f"Pages of {book.title} over time, from {events[0].page} to {events[-1].page}"
    return timeline_chart(events, book.total_pages, told, clock.zone_of(time_zone))


async def _found(db: Database, reader: SignedIn, book_id: str) -> Book:
    book = await store.book(db, reader.member_id, book_id)
    if book is None:
        raise NotFound(GONE)
    return book


def _typed(book: Book) -> dict[str, str]:
    return {
        alias: "" if (value := getattr(book, name)) is None else str(value)
        for name, alias in Book.names().items()
        if name in BookForm.model_fields
    }


def _status(text: str) -> Status | None:
    return text if text in ("SHELF", "READING", "READ") else None  # type: ignore[return-value]  # one of them


def _sort(text: str) -> Sort:
    return text if text in SORTS else "updatedAt_desc"  # type: ignore[return-value]  # one of them
