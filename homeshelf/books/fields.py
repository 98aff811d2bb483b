"""The fields of books, with their limits and messages."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Path
from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import core_schema
from stdnum import isbn
from stdnum.exceptions import ValidationError

from homeshelf import clock
from homeshelf.books import model
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.web.body import FieldRule, text, whole
from homeshelf.web.ids import WELL_FORMED

CENT, HALF = Decimal("0.01"), Decimal("0.5")


@dataclass(frozen=True)
class StepDecimal(FieldRule):
    low: Decimal
    high: Decimal
    step: Decimal

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        limited = Annotated[
            source,
            Field(strict=False, ge=self.low, le=self.high),
            AfterValidator(self._in_steps),
            BeforeValidator(_require_number),
        ]
        return super().__get_pydantic_core_schema__(limited, handler.generate_schema)  # type: ignore[arg-type]  # called with the type alone

    def _in_steps(self, number: Decimal) -> Decimal:
        if number % self.step:
            raise ValueError("between two steps")
        return Decimal(int(number)) if number == int(number) else number.normalize()


def _require_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("no number")  # noqa: TRY004  # pydantic's
    return value


def decimal_of(typed: Any) -> Any:
    """Return a number with a decimal point or comma as a decimal; anything else unchanged."""
    if isinstance(typed, str) and _DECIMAL.fullmatch(typed.strip()):
        return Decimal(typed.strip().replace(",", "."))
    return typed


_DECIMAL = re.compile(r"[0-9]{1,12}([.,][0-9]{1,6})?")


def real_date(value: str) -> str:
    if not _DATE.fullmatch(value):
        raise ValueError("no date")
    return date.fromisoformat(value).isoformat()


def _utc_time(value: str) -> str:
    if _TIMESTAMP.fullmatch(value):
        with suppress(OverflowError):
            at = clock.timestamp(datetime.fromisoformat(value).astimezone(UTC))
            if _TIMESTAMP.fullmatch(at):
                return at
    raise ValueError("no time, or too far away")


def isbn13(text: str) -> str:
    try:
        return isbn.validate(text, convert=True)
    except ValidationError as error:
        raise ValueError("no ISBN") from error


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
)


Title = Annotated[
    str,
    text(1, 500, _("Title must be 1-500 characters"), _("Enter a title of up to 500 characters.")),
]
Status = Annotated[model.Status, FieldRule(_("Status must be SHELF, READING or READ"))]
Author = Annotated[str, text(0, 300, _("Author must be 300 characters or less"))]
Isbn = Annotated[
    str,
    AfterValidator(isbn13),
    FieldRule(
        _("ISBN must be 10 or 13 digits with a correct check digit"),
        on_page=_("That isn’t an ISBN. Check the digits."),
        longest=20,
    ),
]
Description = Annotated[
    str, text(0, 10_000, _("Description must be 10,000 characters or less"), kind="any")
]
Rating = Annotated[
    Decimal, StepDecimal(_("Rating must be from 1 to 5, in halves"), Decimal(1), Decimal(5), HALF)
]
Page = Annotated[int, whole(0, 1_000_000_000, _("Enter a page, 0 or more"))]
Price = Annotated[
    Decimal,
    StepDecimal(
        _("Price must be 0 or more, with up to two decimals"),
        Decimal(0),
        Decimal("9999999999.99"),
        CENT,
        longest=14,
    ),
]
Currency = Annotated[
    str,
    Field(pattern=r"^[A-Za-z]{3}$"),
    AfterValidator(str.upper),
    FieldRule(_("Currency must be three letters, like EUR"), longest=3),
]
StoreName = Annotated[str, text(0, 200, _("Store must be 200 characters or less"))]
BoughtAt = Annotated[str, text(0, 200, _("Where it was bought must be 200 characters or less"))]
Day = Annotated[str, AfterValidator(real_date), FieldRule(_("Enter a date, like 2025-01-15"))]
NoteContent = Annotated[
    str, text(1, 10_000, _("Enter a note of up to 10,000 characters"), kind="any")
]
YearlyGoal = Annotated[int, whole(1, 10_000, _("Choose a goal from 1 to 10,000 books"))]
Timestamp = Annotated[
    str, AfterValidator(_utc_time), FieldRule(_("Enter a time, like 2025-01-15T10:00:00.000Z"))
]
BookId = Annotated[str, Path(alias="bookId"), WELL_FORMED]
NoteId = Annotated[str, Path(alias="noteId"), WELL_FORMED]
ImportId = Annotated[str, Path(alias="importId"), WELL_FORMED]


def require_order(start: str | None, end: str | None) -> None:
    if start is not None and end is not None and start > end:
        raise Invalid([("to", _("This can’t be before from."))])
