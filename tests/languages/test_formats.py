"""Numbers, dates and time spans in each language."""

from datetime import date
from decimal import Decimal

import pytest

from homeshelf.languages import LANGUAGES
from homeshelf.languages.formats import formats

DAY = date(2026, 5, 3)


@pytest.mark.parametrize(
    ("code", "number", "half", "day", "ago"),
    [
        ("en", "12,345", "4.5", "3 May 2026", "5 minutes ago"),
        ("de", "12.345", "4,5", "3. Mai 2026", "vor 5 Minuten"),
        ("fr", "12\u202f345", "4,5", "3 mai 2026", "il y a 5 minutes"),
        ("es", "12.345", "4,5", "3 de mayo de 2026", "hace 5 minutos"),
        ("sv", "12\xa0345", "4,5", "3 maj 2026", "för 5 minuter sedan"),
        ("ar", "12,345", "4.5", "3 مايو 2026", "قبل 5 دقائق"),
    ],
)
def test_each_language_has_its_formats(
    code: str, number: str, half: str, day: str, ago: str
) -> None:
    found = formats(LANGUAGES[code])
    assert found.number(12_345) == number
    assert found.number(Decimal("4.5")) == found.number(4.5) == half
    assert found.number(Decimal("4.0")) == "4"
    assert found.day(DAY) == day
    assert found.ago(5, "minute") == ago


@pytest.mark.parametrize("code", LANGUAGES)
def test_time_span_keeps_its_unit(code: str) -> None:
    said = formats(LANGUAGES[code])
    spans = {said.ago(count, unit) for count in (1, 2) for unit in ("minute", "hour", "day")}
    assert len(spans) == 6
    assert "59" in said.ago(59, "minute")
    assert "23" in said.ago(23, "hour")
    assert "6" in said.ago(6, "day")


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_language_has_twelve_months(code: str) -> None:
    said = formats(LANGUAGES[code])
    assert len(set(said.months())) == len(said.month_letters()) == 12
    assert said.months()[4].rstrip(".") in said.day_of_year(DAY)


def test_prices_have_the_typed_currency() -> None:
    assert formats(LANGUAGES["en"]).price(Decimal("1234.5"), "EUR") == "1,234.50 EUR"
    assert formats(LANGUAGES["de"]).price(Decimal("1234.5"), "EUR") == "1.234,50 EUR"


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("en", {"one", "other"}),
        ("de", {"one", "other"}),
        ("fr", {"one", "many", "other"}),
        ("ar", {"zero", "one", "two", "few", "many", "other"}),
    ],
)
def test_plurals_have_the_names_of_browsers(code: str, names: set[str]) -> None:
    assert formats(LANGUAGES[code]).plurals().keys() == names
