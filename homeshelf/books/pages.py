"""The shelf, a book, and the year: pages of a reader's own."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from homeshelf import clock
from homeshelf.books import notes, removing, store
from homeshelf.books.charts import MONTHS, heat_map, month_bars, timeline_chart
from homeshelf.books.covers import cover
from homeshelf.books.forms import BookForm, GoalForm, NoteForm, PageForm, RatingForm, StatusForm
from homeshelf.books.listing import Sort, Wanted, listed
from homeshelf.books.model import Book, ReadingEvent, Status
from homeshelf.books.pace import Forecast, forecast, streaks
from homeshelf.books.statistics import statistics, today_in, zone_of
from homeshelf.errors import Invalid, NotFound
from homeshelf.table import Database
from homeshelf.web.access import Person, SignedIn
from homeshelf.web.csrf import require_same_origin
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.house import House, TheHouse
from homeshelf.web.ids import BookId, NoteId
from homeshelf.web.pages import page, see_other
from homeshelf.web.paging import PageAsked
from homeshelf.web.shell import shell_for

router = APIRouter(prefix="/books")

DRAWN = 400
"""As many of the newest events are in a book's drawing."""
NOTES_SHOWN = 100
TABS: Mapping[str, str] = {"": "All", "READING": "Reading", "SHELF": "To read", "READ": "Read"}
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
    house: TheHouse,
    asked: PageAsked,
    q: Annotated[str, Query(max_length=100)] = "",
    show: Annotated[str, Query(max_length=10)] = "",
    sort: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    wanted = Wanted(_status(show), _sort(sort), q.strip() or None)
    start = asked.start(reader.caller)
    books, after = await listed(house.db, reader.member_id, wanted, asked.limit, start)
    return page(
        request,
        "books/shelf.html",
        shell=await shell_for(request, house, reader),
        books=books,
        cover=cover,
        more=asked.following(reader.caller, after),
        tabs=TABS,
        sorts=SORTS,
        q=q,
        show=wanted.status or "",
        sort=wanted.sort,
    )


@router.get("/new")
async def new_book_page(
    request: Request,
    reader: Person,
    house: TheHouse,
    title: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    return await _edit(request, house, reader, Form({"title": title}))


@router.post("/new")
async def add_book(request: Request, reader: Person, house: TheHouse) -> Response:
    form = await sent_form(request, BookForm)
    if form.body is None:
        return await _edit(request, house, reader, form)
    today = today_in(reader.account.time_zone)
    given = {"title": form.body.title} | form.body.details(form.typed)
    try:
        new = await store.add(house.db, reader.member_id, given, today)
    except Invalid as wrong:
        return await _edit(request, house, reader, form.but(**dict(wrong.errors)))
    return see_other(f"/books/{new.id}")


@router.get("/year")
async def year_page(
    request: Request,
    reader: Person,
    house: TheHouse,
    year: Annotated[int | None, Query(ge=1, le=9999)] = None,
) -> Response:
    return await _year(request, reader, house, year)


@router.post("/goal")
async def set_goal(request: Request, reader: Person, house: TheHouse) -> Response:
    form = await sent_form(request, GoalForm)
    if form.body is None:
        return await _year(request, reader, house, None, form)
    goal = {"yearly_goal": form.body.yearly_goal}
    await store.set_goal(house.db, reader.member_id, goal)
    return see_other("/books/year")


@router.get("/{bookId}")
async def book_page(
    request: Request,
    reader: Person,
    book_id: BookId,
    house: TheHouse,
    said: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    return await _book(request, reader, house, book_id, said=said)


@router.get("/{bookId}/edit")
async def edit_book_page(
    request: Request, reader: Person, book_id: BookId, house: TheHouse
) -> Response:
    book = await _found(house.db, reader, book_id)
    typed = _typed(book)
    return await _edit(request, house, reader, Form(typed | {"before": json.dumps(typed)}), book)


@router.post("/{bookId}/edit")
async def edit_book(request: Request, reader: Person, book_id: BookId, house: TheHouse) -> Response:
    form = await sent_form(request, BookForm)
    book = await _found(house.db, reader, book_id)
    if form.body is None:
        return await _edit(request, house, reader, form, book)
    changes, today = form.body.details(form.typed), today_in(reader.account.time_zone)
    try:
        await store.edit(house.db, book.own_key(), changes, today)
    except Invalid as wrong:
        return await _edit(request, house, reader, form.but(**dict(wrong.errors)), book)
    return see_other(f"/books/{book_id}")


@router.post("/{bookId}/page")
async def reach_page(
    request: Request, reader: Person, book_id: BookId, house: TheHouse
) -> Response:
    form = await sent_form(request, PageForm)
    reached = form.body.reached if form.body is not None else None
    key = store.key_of(reader.member_id, book_id)
    if reached is None:
        wrong = form.but(page=form.wrong.get("page", "Which page are you on?"))
        return await _book(request, reader, house, book_id, reading=wrong)
    try:
        await store.reach_page(house.db, key, reached)
    except Invalid as refused:
        wrong = form.but(page=refused.detail)
        return await _book(request, reader, house, book_id, reading=wrong)
    return see_other("/" if form.typed.get("back") == "home" else f"/books/{book_id}")


@router.post("/{bookId}/status")
async def set_status(
    request: Request, reader: Person, book_id: BookId, house: TheHouse
) -> Response:
    form = await sent_form(request, StatusForm)
    if form.body is None:
        return await _book(request, reader, house, book_id)
    key, today = store.key_of(reader.member_id, book_id), today_in(reader.account.time_zone)
    new = await store.edit(house.db, key, {"status": form.body.status}, today)
    return see_other(f"/books/{book_id}{'?said=finished' if new.status == 'READ' else ''}")


@router.post("/{bookId}/rating")
async def rate(request: Request, reader: Person, book_id: BookId, house: TheHouse) -> Response:
    form = await sent_form(request, RatingForm)
    if form.body is None:
        return await _book(request, reader, house, book_id)
    key, today = store.key_of(reader.member_id, book_id), today_in(reader.account.time_zone)
    await store.edit(house.db, key, {"rating": form.body.rating}, today)
    return see_other(f"/books/{book_id}")


@router.post("/{bookId}/notes")
async def add_note(request: Request, reader: Person, book_id: BookId, house: TheHouse) -> Response:
    form = await sent_form(request, NoteForm)
    if form.body is None:
        return await _book(request, reader, house, book_id, note=form)
    await notes.add(house.db, reader.member_id, book_id, form.body.content)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/notes/{noteId}/delete")
async def remove_note(
    request: Request, reader: Person, book_id: BookId, note_id: NoteId, house: TheHouse
) -> Response:
    require_same_origin(request)
    await notes.remove(house.db, reader.member_id, book_id, note_id)
    return see_other(f"/books/{book_id}#notes")


@router.post("/{bookId}/delete")
async def remove_book(
    request: Request, reader: Person, book_id: BookId, house: TheHouse
) -> Response:
    require_same_origin(request)
    await removing.remove(house.db, reader.member_id, book_id)
    return see_other("/books")


async def _book(
    request: Request,
    reader: SignedIn,
    house: House,
    book_id: str,
    *,
    said: str = "",
    reading: Form[PageForm] | None = None,
    note: Form[NoteForm] | None = None,
) -> Response:
    book = await _found(house.db, reader, book_id)
    events = await _latest(house.db, reader.member_id, book_id)
    written = store.notes_of(reader.member_id, book_id).up_to_date().newest_first()
    wrong = any(form is not None and form.wrong for form in (reading, note))
    return page(
        request,
        "books/book.html",
        400 if wrong else 200,
        shell=await shell_for(request, house, reader),
        book=book,
        cover=cover,
        events=events,
        chart=_chart(book, events),
        forecast=forecast(book, events, clock.now()) if book.status == "READING" else None,
        notes=(await house.db.query(written.page(NOTES_SHOWN))).items,
        said=said,
        reading=reading or Form(),
        note=note or Form(),
        ratings=[half / 2 for half in range(2, 11)],
    )


async def _edit(
    request: Request,
    house: House,
    reader: SignedIn,
    form: Form[BookForm],
    book: Book | None = None,
) -> Response:
    return page(
        request,
        "books/edit.html",
        400 if form.wrong else 200,
        shell=await shell_for(request, house, reader),
        form=form,
        book=book,
        tabs=TABS,
    )


async def _year(
    request: Request,
    reader: SignedIn,
    house: House,
    year: int | None,
    form: Form[GoalForm] | None = None,
) -> Response:
    today = today_in(reader.account.time_zone)
    shown = year or today.year
    found = await statistics(house.db, reader.member_id, shown, zone_of(reader.account.time_zone))
    goal = await store.settings(house.db, reader.member_id)
    finished = _by_month(found.finished_on)
    book, pace = await _pace(house.db, reader.member_id) if shown == today.year else (None, None)
    days = max(1, (min(today, date(shown, 12, 31)) - date(shown, 1, 1)).days + 1)
    return page(
        request,
        "books/year.html",
        400 if form is not None and form.wrong else 200,
        shell=await shell_for(request, house, reader),
        book=book,
        pace=pace,
        year=shown,
        this_year=today.year,
        found=found,
        goal=goal.yearly_goal if goal else None,
        form=form or Form(),
        per_day=round(found.pages_read / days),
        streaks=streaks(found.pages_per_day, today),
        heat=heat_map(shown, found.pages_per_day, f"Pages of each day of {shown}"),
        bars=month_bars(finished, f"Books finished in each month of {shown}"),
        months=list(zip(MONTHS, _pages_by_month(found.pages_per_day), finished, strict=True)),
    )


async def _latest(db: Database, user_id: str, book_id: str) -> list[ReadingEvent]:
    """Oldest first."""
    query = store.timeline(user_id, book_id).up_to_date().newest_first()
    return list((await db.query(query.page(DRAWN))).items)[::-1]


async def _pace(db: Database, user_id: str) -> tuple[Book | None, Forecast | None]:
    """Of the book that somebody is in."""
    book = await store.current_book(db, user_id)
    if book is None:
        return None, None
    return book, forecast(book, await _latest(db, user_id, book.id), clock.now())


def _chart(book: Book, events: Sequence[ReadingEvent]) -> Any:
    if len(events) < 2:
        return None
    told = f"Pages of {book.title} over time, from {events[0].page} to {events[-1].page}"
    return timeline_chart(events, book.total_pages, told)


def _by_month(finished_on: Mapping[str, int]) -> list[int]:
    months = [0] * 12
    for day, count in finished_on.items():
        months[date.fromisoformat(day).month - 1] += count
    return months


def _pages_by_month(pages: Mapping[date, int]) -> list[int]:
    months = [0] * 12
    for day, count in pages.items():
        months[day.month - 1] += count
    return months


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
