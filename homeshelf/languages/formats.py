"""Formats of numbers, dates and time spans. Babel, for all but English, is loaded on first use."""

from calendar import month_abbr, month_name
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from homeshelf.languages import ENGLISH, Language, reader_language

Unit = Literal["minute", "hour", "day"]


def formats(language: Language | None = None) -> "EnglishFormats":
    return _formats((language or reader_language()).code)


@cache
def _formats(code: str) -> "EnglishFormats":
    return EnglishFormats() if code == ENGLISH.code else BabelFormats(code)


class EnglishFormats:
    """Formats such as `1,234.5`, `12.50 EUR`, `3 May 2026`, `5 minutes ago`, `this, that`."""

    def number(self, value: int | float | Decimal) -> str:
        return f"{value:,}" if isinstance(value, int) else f"{float(value):,.10g}"

    def amount(self, count: int | str, unit: str | None) -> str:
        """Join a count and its unit, as `js/amount.js` does: `2`, `2 l`."""
        if not unit:
            return str(count)
        between = " \N{MULTIPLICATION SIGN} " if unit[0].isdecimal() else "\N{NO-BREAK SPACE}"
        return f"{count}{between}{unit}"

    def price(self, value: Decimal, currency: str) -> str:
        return f"{value:,.2f} {currency}"

    def day(self, day: date) -> str:
        return f"{day.day} {month_name[day.month]} {day.year}"

    def short_day(self, day: date) -> str:
        return f"{self.day_of_year(day)} {day.year}"

    def day_of_year(self, day: date) -> str:
        return f"{day.day} {month_abbr[day.month]}"

    def months(self) -> Sequence[str]:
        return month_abbr[1:]

    def month_letters(self) -> Sequence[str]:
        return [month[0] for month in month_abbr[1:]]

    def ago(self, count: int, unit: Unit) -> str:
        return f"{count} {unit} ago" if count == 1 else f"{count} {unit}s ago"

    def listed(self, parts: Sequence[str]) -> str:
        return ", ".join(parts)

    def plurals(self) -> Mapping[str, int]:
        """Return the CLDR plural categories, each with an example number."""
        return {"one": 1, "other": 2}


class BabelFormats(EnglishFormats):
    def __init__(self, code: str) -> None:
        from babel import Locale, dates, lists, numbers  # noqa: PLC0415  # see above

        self._locale, self._dates, self._lists = Locale.parse(code), dates, lists
        self._numbers: Any = numbers
        self._ago = cache(self._ago_anew)  # pages show many, of few distinct values

    def number(self, value: int | float | Decimal) -> str:
        shown: str = self._numbers.format_decimal(value, locale=self._locale)
        return shown

    def amount(self, count: int | str, unit: str | None) -> str:
        joined = super().amount(count, unit)
        is_isolated = unit and self._locale.text_direction == "rtl"
        return f"\u2068{joined}\u2069" if is_isolated else joined  # "2 l" is not "l 2"

    def price(self, value: Decimal, currency: str) -> str:
        """Return a price with the typed code, because a sign such as $ is ambiguous."""
        shown: str = self._numbers.format_decimal(value, "#,##0.00", self._locale)
        return f"{shown} {currency}"

    def day(self, day: date) -> str:
        return self._dates.format_date(day, "long", self._locale)

    def short_day(self, day: date) -> str:
        return self._dates.format_skeleton("yMMMd", day, locale=self._locale)

    def day_of_year(self, day: date) -> str:
        return self._dates.format_skeleton("MMMd", day, locale=self._locale)

    def months(self) -> Sequence[str]:
        return self._names("abbreviated")

    def month_letters(self) -> Sequence[str]:
        return self._names("narrow")

    def ago(self, count: int, unit: Unit) -> str:
        return self._ago(count, unit)

    def listed(self, parts: Sequence[str]) -> str:
        return self._lists.format_list(parts, locale=self._locale)

    def plurals(self) -> Mapping[str, int]:
        numbers = (*range(12), 100, 1_000_000)
        return {self._locale.plural_form(number): number for number in reversed(numbers)}

    def _ago_anew(self, count: int, unit: Unit) -> str:
        span = timedelta(**{f"{unit}s": -count})
        return self._dates.format_timedelta(
            span, threshold=1, add_direction=True, locale=self._locale
        )

    def _names(self, width: str) -> Sequence[str]:
        names = self._dates.get_month_names(width, "stand-alone", self._locale)  # type: ignore[arg-type]  # a literal
        return [names[month] for month in range(1, 13)]
