"""The year: pages of every day, books of every month, a goal, and the pace of the current book."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from fastapi import Query, Response

from homeshelf import clock
from homeshelf.access.view import PersonView
from homeshelf.books import store
from homeshelf.books.bodies import SettingsChange
from homeshelf.books.charts import MONTHS, heat_map, month_bars
from homeshelf.books.model import Book
from homeshelf.books.pages import latest
from homeshelf.books.statistics import Forecast, forecast, statistics, streaks, today_in
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.web.forms import Form
from homeshelf.web.pages import see_other
from homeshelf.web.requests import page_router

router = page_router("/books")


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
    await store.set_goal(view.db, view.who.member_id, form.body.complete())
    return see_other("/books/year")


async def _year(
    view: PersonView, year: int | None, form: Form[SettingsChange] | None = None
) -> Response:
    today = today_in(view.who.account.time_zone)
    shown = year or today.year
    found = await statistics(
        view.db, view.who.member_id, shown, clock.zone_of(view.who.account.time_zone)
    )
    goal = await store.settings(view.db, view.who.member_id)
    finished = _by_month(found.finished_on)
    book, pace = await _pace(view.db, view.who.member_id) if shown == today.year else (None, None)
    days = max(1, (min(today, date(shown, 12, 31)) - date(shown, 1, 1)).days + 1)
    return await view.page(
        "books/year.html",
        book=book,
        pace=pace,
        year=shown,
        this_year=today.year,
        found=found,
        goal=goal.yearly_goal if goal else None,
        form=form or Form(SettingsChange),
        per_day=round(found.pages_read / days),
        streaks=streaks(found.pages_per_day, today),
        busiest=_busiest(found.pages_per_day),
        heat=heat_map(shown, found.pages_per_day, _("Pages of each day of {year}", year=shown)),
        bars=month_bars(finished, _("Books finished in each month of {year}", year=shown)),
        months=list(zip(MONTHS, _by_month(found.pages_per_day), finished, strict=True)),
    )


async def _pace(db: Database, user_id: str) -> tuple[Book | None, Forecast | None]:
    """Of the book that somebody is in."""
    book = await store.current_book(db, user_id)
    if book is None:
        return None, None
    return book, forecast(book, await latest(db, user_id, book.id), clock.now())


def _busiest(pages: Mapping[date, int]) -> dict[str, Any] | None:
    day = max(pages, key=lambda each: pages[each], default=None)
    return None if day is None else {"day": day.isoformat(), "pages": pages[day]}


def _by_month(counts: Mapping[date, int] | Mapping[str, int]) -> list[int]:
    """Of days, or of days as they are written."""
    months = [0] * 12
    for day, count in counts.items():
        months[int(str(day)[5:7]) - 1] += count
    return months
