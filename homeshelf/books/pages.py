"""The pages of a reader's shelf, of a book, and of a year."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from operator import itemgetter
from typing import Annotated, Any, cast

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access import SignedIn
from homeshelf.access.view import PersonView
from homeshelf.books import statistics, store
from homeshelf.books.bodies import (
    BookForm,
    NewNote,
    PageForm,
    RatingForm,
    SettingsChange,
    StatusForm,
)
from homeshelf.books.covers import cover
from homeshelf.books.fields import BookId, NoteId
from homeshelf.books.model import Book, ReaderSettings, ReadingEvent, Status
from homeshelf.books.statistics import forecast, today_in
from homeshelf.errors import Invalid, or_not_found
from homeshelf.languages.formats import formats
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.web.body import Search
from homeshelf.web.forms import Form, form_texts
from homeshelf.web.pages import OutcomeKey, page_router, see_other
from homeshelf.web.paging import PageAsked, Paging

router = page_router("/books")


MAX_CHART_EVENTS = 400
NOTES_PER_PAGE = 100
STATUSES: Mapping[str, str] = {
    "": _("All"),
    "READING": _("Reading"),
    "SHELF": _("To read"),
    "READ": _("Read"),
}
SORTS: Mapping[store.Sort, str] = {
    "updatedAt_desc": _("Newest first"),
    "updatedAt_asc": _("Oldest first"),
    "title": _("By title"),
}


@router.get("")
async def shelf_page(
    view: PersonView,
    asked: PageAsked,
    q: Search = "",
    show: Annotated[str, Query(max_length=10)] = "",
    sort: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    wanted = store.BookFilter(
        cast("Status", show) if show and show in STATUSES else None,
        cast("store.Sort", sort) if sort in SORTS else "updatedAt_desc",
        q.strip() or None,
    )
    books, after = await store.list_books(
        view.db, view.who.member_id, wanted, asked.limit, asked.start(view.who.caller)
    )
    return await view.page(
        "books/shelf.html",
        books=books,
        cover=cover,
        more=asked.following(view.who.caller, after),
        statuses=STATUSES,
        sorts=SORTS,
        q=q,
        show=wanted.status or "",
        sort=wanted.sort,
    )


@router.get("/new")
async def new_book_page(
    view: PersonView, title: Annotated[str, Query(max_length=500)] = ""
) -> Response:
    return await _edit(view, Form(BookForm, {"title": title}))


@router.post("/new")
async def add_book(view: PersonView) -> Response:
    form = await view.form(BookForm)
    if form.body is None:
        return await _edit(view, form)
    given = {"title": form.body.title} | form.body.details(form.typed)
    try:
        new = await store.add(view.db, view.who.member_id, given, _today(view))
    except Invalid as wrong:
        return await _edit(view, form.but(**dict(wrong.errors)))
    return see_other(f"/books/{new.id}")


@router.get("/year")
async def year_page(
    view: PersonView, year: Annotated[int | None, Query(ge=1, le=9999)] = None
) -> Response:
    return await _year(view, year)


@router.post("/goal")
async def set_goal(view: PersonView) -> Response:
    form = await view.form(SettingsChange)
    if form.body is None:
        return await _year(view, None, form)
    default = ReaderSettings(user_id=view.who.member_id)
    await store.change_settings(view.db, default, form.body.complete())
    return see_other("/books/year")


@router.get("/{bookId}")
async def book_page(
    view: PersonView, book_id: BookId, asked: PageAsked, said: OutcomeKey = ""
) -> Response:
    return await _book(view, book_id, said=said, asked=asked)


@router.get("/{bookId}/edit")
async def edit_book_page(view: PersonView, book_id: BookId) -> Response:
    book = await _find_book(view.db, view.who, book_id)
    typed = form_texts(book, BookForm)
    return await _edit(view, Form(BookForm, typed | {"before": json.dumps(typed)}), book)


@router.post("/{bookId}/edit")
async def edit_book(view: PersonView, book_id: BookId) -> Response:
    form = await view.form(BookForm)
    book = await _find_book(view.db, view.who, book_id)
    if form.body is None:
        return await _edit(view, form, book)
    try:
        await store.edit(view.db, book.own_key(), form.body.details(form.typed), _today(view))
    except Invalid as wrong:
        return await _edit(view, form.but(**dict(wrong.errors)), book)
    return see_other(f"/books/{book_id}")


@router.post("/{bookId}/page")
async def reach_page(view: PersonView, book_id: BookId) -> Response:
    form = await view.form(PageForm)
    if form.body is None or form.body.reached is None:
        wrong = form.wrong.get("page", _("Which page are you on?"))
        return await _book(view, book_id, reading=form.but(page=wrong))
    try:
        await store.reach_page(
            view.db, store.key_of(view.who.member_id, book_id), form.body.reached
        )
    except Invalid as refused:
        return await _book(view, book_id, reading=form.but(page=refused.detail))
    book = await store.book(view.db, view.who.member_id, book_id)
    stays = book is not None and not book.is_at_its_end  # the book's page offers to finish it
    return see_other("/" if stays and form.typed.get("back") == "home" else f"/books/{book_id}")


@router.post("/{bookId}/status")
async def set_status(view: PersonView, book_id: BookId) -> Response:
    return await _change_book(view, book_id, await view.form(StatusForm))


@router.post("/{bookId}/rating")
async def rate(view: PersonView, book_id: BookId) -> Response:
    return await _change_book(view, book_id, await view.form(RatingForm))


@router.post("/{bookId}/notes")
async def add_note(view: PersonView, book_id: BookId) -> Response:
    form = await view.form(NewNote)
    if form.body is None:
        return await _book(view, book_id, note=form)
    await store.add_note(view.db, view.who.member_id, book_id, form.body.content)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/notes/{noteId}")
async def edit_note(view: PersonView, book_id: BookId, note_id: NoteId) -> Response:
    form = await view.form(NewNote)
    if form.body is None:
        return await _book(view, book_id, note=form, note_id=note_id)
    key = store.note_key(view.who.member_id, book_id, note_id)
    await store.edit_note(view.db, key, form.body.content)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/notes/{noteId}/delete")
async def remove_note(view: PersonView, book_id: BookId, note_id: NoteId) -> Response:
    await store.remove_note(view.db, store.note_key(view.who.member_id, book_id, note_id))
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/delete")
async def remove_book(view: PersonView, book_id: BookId) -> Response:
    await store.remove(view.db, view.who.member_id, book_id)
    return see_other("/books")


async def _change_book(
    view: PersonView, book_id: str, form: Form[StatusForm] | Form[RatingForm]
) -> Response:
    if form.body is None:
        return await _book(view, book_id)
    key, changes = store.key_of(view.who.member_id, book_id), form.body.complete()
    await store.edit(view.db, key, changes, _today(view))
    return see_other(
        f"/books/{book_id}{'?said=finished' if changes.get('status') == 'READ' else ''}"
    )


async def _book(
    view: PersonView,
    book_id: str,
    *,
    said: str = "",
    reading: Form[PageForm] | None = None,
    note: Form[NewNote] | None = None,
    note_id: str = "",
    asked: Paging | None = None,
) -> Response:
    """Show a book; `note_id` names the note in the form `note`, which is new without one."""
    book = await _find_book(view.db, view.who, book_id)
    events = await latest_events(view.db, view.who.member_id, book_id)
    written = store.notes_of(view.who.member_id, book_id).up_to_date().newest_first()
    notes_found = await view.db.query(
        written.page(NOTES_PER_PAGE, asked.start(view.who.caller) if asked else None)
    )
    return await view.page(
        "books/book.html",
        book=book,
        cover=cover,
        events=events,
        chart=_chart(book, events, view.who.account.time_zone) if len(events) > 1 else None,
        forecast=forecast(book, events, clock.now()) if book.status == "READING" else None,
        notes=notes_found.items,
        older=asked.following(view.who.caller, notes_found.next) if asked else None,
        said=said,
        reading=reading or Form(PageForm),
        note=note or Form(NewNote),
        note_id=note_id,
        ratings=[half / 2 for half in range(2, 11)],
    )


async def _edit(view: PersonView, form: Form[BookForm], book: Book | None = None) -> Response:
    return await view.page("books/edit.html", form=form, book=book, statuses=STATUSES)


async def _year(
    view: PersonView, year: int | None, form: Form[SettingsChange] | None = None
) -> Response:
    today = _today(view)
    shown = year or today.year
    found = await statistics.statistics(
        view.db, view.who.member_id, shown, clock.zone_of(view.who.account.time_zone)
    )
    finished = _by_month(found.finished_on)
    label = _("Books finished in each month of {year}", year=str(shown))
    book = await store.current_book(view.db, view.who.member_id) if shown == today.year else None
    events = await latest_events(view.db, view.who.member_id, book.id) if book else []
    days = max(1, (min(today, date(shown, 12, 31)) - date(shown, 1, 1)).days + 1)
    return await view.page(
        "books/year.html",
        book=book,
        pace=forecast(book, events, clock.now()) if book else None,
        year=shown,
        this_year=today.year,
        found=found,
        goal=(await store.settings(view.db, view.who.member_id)).yearly_goal,
        form=form or Form(SettingsChange),
        per_day=round(found.pages_read / days),
        streaks=statistics.streaks(found.pages_per_day, today),
        busiest=max(found.pages_per_day.items(), key=itemgetter(1), default=None),
        heat=statistics.heat_map(shown, found.pages_per_day),
        bars=statistics.month_bars(finished, label),
        months=list(zip(formats().months(), _by_month(found.pages_per_day), finished, strict=True)),
    )


def _today(view: PersonView) -> date:
    return today_in(view.who.account.time_zone)


async def latest_events(db: Database, user_id: str, book_id: str) -> list[ReadingEvent]:
    newest = store.timeline(user_id, book_id).up_to_date().newest_first().page(MAX_CHART_EVENTS)
    return list(await db.all(newest))[::-1]


def _chart(book: Book, events: Sequence[ReadingEvent], time_zone: str) -> Any:
    label = _(
        "Pages of {book} over time, from {first} to {last}",
        book=book.title,
        first=events[0].page,
        last=events[-1].page,
    )
    zone = clock.zone_of(time_zone)
    return statistics.timeline_chart(events, book.total_pages, label, zone)


async def _find_book(db: Database, reader: SignedIn, book_id: str) -> Book:
    return or_not_found(
        await store.book(db, reader.member_id, book_id), _("This book is no longer on your shelf.")
    )


def _by_month(counts: Mapping[date, int] | Mapping[str, int]) -> list[int]:
    months = [0] * 12
    for day, count in counts.items():
        months[int(str(day)[5:7]) - 1] += count
    return months
