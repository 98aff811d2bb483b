"""The drawings of tags: their codes, and how often they are used."""

from collections.abc import Sequence
from datetime import date

from markupsafe import Markup

from homeshelf.sentences import _

WIDTH, HEIGHT, HEAD, FOOT = 320, 44, 14, 18
GAP = 4


def week_chart(weeks: Sequence[tuple[str, int]]) -> Markup:
    """A bar for each week, oldest first, with its number, and the days at its ends."""
    most = max(1, *(count for _, count in weeks))
    step = WIDTH / len(weeks)
    bars = Markup().join(
        _bar(place * step, step - GAP, count, round(HEIGHT * count / most, 1))
        for place, (_, count) in enumerate(weeks)
    )
    told = ", ".join(
        _("{count} in the week of {day}", count=count, day=_day(monday))
        for monday, count in weeks
        if count
    )
    return Markup(
        '<svg class="chart chart-weeks" viewBox="0 -{} {} {}" role="img" aria-label="{}">{}'
        '<text x="0" y="{}">{}</text><text x="{}" y="{}" text-anchor="end">{}</text></svg>'
    ).format(
        HEAD,
        WIDTH,
        HEAD + HEIGHT + FOOT,
        _("How often it was used: {weeks}", weeks=told)
        if told
        else _("It was not used in these weeks"),
        bars,
        HEIGHT + FOOT - 4,
        _day(weeks[0][0]),
        WIDTH - GAP,
        HEIGHT + FOOT - 4,
        _("this week"),
    )


def _bar(x: float, width: float, count: int, tall: float) -> Markup:
    number = (
        Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
            round(x + width / 2, 1), HEIGHT - tall - 3, count
        )
        if count
        else ""
    )
    return Markup(
        '<rect class="chart-bar" x="{}" y="{}" width="{}" height="{}" rx="1.5"/>{}'
    ).format(round(x, 1), HEIGHT - tall, round(width, 1), max(tall, 1.0), number)


def _day(monday: str) -> str:
    then = date.fromisoformat(monday)
    return f"{then.day} {then:%b}"
