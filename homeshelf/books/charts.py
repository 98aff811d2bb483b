"""The drawings of reading; each page shows the same numbers as a table too."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta, tzinfo

from markupsafe import Markup

from homeshelf.books.model import ReadingEvent
from homeshelf.books.statistics import moment
from homeshelf.sentences import _

WIDTH, HEIGHT, FOOT = 320.0, 120.0, 16.0
CELL = 6
LEVELS = 4
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def timeline_chart(
    events: Sequence[ReadingEvent], total_pages: int | None, told: str, zone: tzinfo
) -> Markup:
    """Pages over time, oldest first, with the numbers and days at its ends."""
    start, end = moment(events[0].occurred_at), moment(events[-1].occurred_at)
    span = max((end - start).total_seconds(), 1.0)
    top = max(total_pages or 0, *(event.page for event in events), 1)
    points = [
        (
            round((moment(event.occurred_at) - start).total_seconds() / span * WIDTH, 1),
            round(HEIGHT - event.page / top * HEIGHT, 1),
        )
        for event in events
    ]
    line = "M" + "L".join(f"{x} {y}" for x, y in points)
    return Markup(
        '<svg class="chart chart-reading" viewBox="-4 -14 {} {}" role="img" aria-label="{}">'
        '<line class="chart-mark" x1="0" x2="{}" y1="0" y2="0"/>'
        '<path class="chart-area" d="{}V{}H0Z"/><path class="chart-line" d="{}"/>'
        '<circle class="chart-dot" cx="{}" cy="{}" r="4"/>'
        '<text x="0" y="-4">{}</text><text x="0" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">{}</text></svg>'
    ).format(
        WIDTH + 8,
        HEIGHT + FOOT + 18,
        told,
        WIDTH,
        line,
        HEIGHT,
        line,
        *points[-1],
        _("page {page}", page=top),
        HEIGHT + FOOT,
        _day(start.astimezone(zone).date()),
        WIDTH,
        HEIGHT + FOOT,
        _day(end.astimezone(zone).date()),
    )


def heat_map(year: int, pages: Mapping[date, int], told: str) -> Markup:
    """The days of a year in two halves, so that a phone shows them."""
    july = date(year, 7, 1)
    halves = (
        (date(year, 1, 1), july - timedelta(days=1), _("January to June")),
        (july, date(year, 12, 31), _("July to December")),
    )
    return Markup("").join(
        _half(first, last, pages, _("{told}, {when}", told=told, when=when))
        for first, last, when in halves
    )


def _half(first: date, last: date, pages: Mapping[date, int], told: str) -> Markup:
    """A column for each week; the more pages, the stronger."""
    most = max(pages.values(), default=0)
    cells, months = [], []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        week = (number + first.weekday()) // 7
        read = pages.get(day, 0)
        level = min(LEVELS, 1 + (read - 1) * LEVELS // most) if read else 0
        x, y = week * CELL, day.weekday() * CELL
        cells.append(
            Markup('<rect class="heat heat-{}" x="{}" y="{}" width="5" height="5" rx="1"/>').format(
                level, x, y
            )
        )
        if day.day == 1:
            months.append(Markup('<text x="{}" y="-3">{}</text>').format(x, MONTHS[day.month - 1]))
    return Markup(
        '<svg class="chart heat-map" viewBox="0 -9 163 51" role="img" aria-label="{}">{}{}</svg>'
    ).format(told, Markup("").join(months), Markup("").join(cells))


def month_bars(counts: Sequence[int], told: str) -> Markup:
    """Twelve bars with their numbers."""
    most = max(*counts, 1)
    bars = []
    for month, count in enumerate(counts):
        high = round(count / most * 80, 1)
        x = month * 26 + 5
        bars.append(
            Markup(
                '<rect class="bar" x="{}" y="{}" width="18" height="{}" rx="3"/>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text>'
                '<text x="{}" y="98" text-anchor="middle">{}</text>'
            ).format(x, 84 - high, high, x + 9, 80 - high, count or "", x + 9, MONTHS[month][:1])
        )
    return Markup(
        '<svg class="chart month-bars" viewBox="0 -14 318 116" role="img" aria-label="{}">{}</svg>'
    ).format(told, Markup("").join(bars))


def _day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
