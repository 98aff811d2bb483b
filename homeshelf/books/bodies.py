"""The request bodies and page forms of books."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator

from homeshelf.books import fields
from homeshelf.web.body import NOT_SENT, Body, NewBody

DecimalText = BeforeValidator(fields.decimal_of)


class Details(Body):
    author: fields.Author | None = None
    isbn: fields.Isbn | None = None
    description: fields.Description | None = None
    total_pages: fields.Page | None = None
    price: fields.Price | None = None
    currency: fields.Currency | None = None
    store: fields.StoreName | None = None
    purchase_date: fields.Day | None = None
    bought_at: fields.BoughtAt | None = None
    finished_at: fields.Day | None = None


class NewBook(Details, NewBody):
    title: fields.Title
    status: fields.Status = "SHELF"
    rating: fields.Rating | None = None
    current_page: fields.Page | None = None


class BookChange(Details):
    """A change of any field except the page, which only reading changes."""

    title: fields.Title = NOT_SENT
    status: fields.Status = NOT_SENT
    rating: fields.Rating | None = None


class PageReached(NewBody):
    page: fields.Page


class NewNote(NewBody):
    content: fields.NoteContent


class NoteChange(Body):
    content: fields.NoteContent = NOT_SENT


class SettingsChange(Body):
    yearly_goal: fields.YearlyGoal | None = None


class BookForm(Details, NewBody):
    title: fields.Title
    status: fields.Status = "SHELF"
    price: Annotated[fields.Price, DecimalText] | None = None
    before: str = "{}"
    """The fields when the form was opened, as JSON, to change only those that differ."""

    def details(self, typed: dict[str, str]) -> dict[str, Any]:
        try:
            before = json.loads(self.before)
        except ValueError:
            before = {}
        before = before if isinstance(before, dict) else {}
        return {
            name: getattr(self, name)
            for name, field in type(self).model_fields.items()
            if (alias := field.alias or name) != "before"
            and before.get(alias, "") != typed.get(alias, "").strip()
        }


class PageForm(NewBody):
    page: fields.Page | None = None
    to: fields.Page | None = None
    """The page of a button, which takes precedence over the typed one."""
    back: str = ""

    @property
    def reached(self) -> int | None:
        return self.page if self.to is None else self.to


class StatusForm(NewBody):
    status: fields.Status


class RatingForm(NewBody):
    rating: Annotated[fields.Rating, DecimalText] | None = None
