"""What the pages of books are sent."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator

from homeshelf.books import fields
from homeshelf.books.bodies import Details
from homeshelf.web.body import NewBody

Typed = BeforeValidator(fields.decimal_of)


class BookForm(Details, NewBody):
    title: fields.Title
    status: fields.Status = "SHELF"
    price: Annotated[fields.Price, Typed] | None = None
    before: str = "{}"
    """What the form said when it was opened: only what was changed in it is changed."""

    def details(self, typed: dict[str, str]) -> dict[str, Any]:
        try:
            before = json.loads(self.before)
        except ValueError:
            before = {}
        before = before if isinstance(before, dict) else {}
        names = {name: field.alias or name for name, field in type(self).model_fields.items()}
        return {
            name: getattr(self, name)
            for name, alias in names.items()
            if name != "before" and before.get(alias, "") != typed.get(alias, "").strip()
        }


class PageForm(NewBody):
    page: fields.Page | None = None
    to: fields.Page | None = None
    """The page of a button, which counts before what is typed."""
    back: str = ""

    @property
    def reached(self) -> int | None:
        return self.page if self.to is None else self.to


class StatusForm(NewBody):
    status: fields.Status


class RatingForm(NewBody):
    rating: Annotated[fields.Rating, Typed] | None = None


class NoteForm(NewBody):
    content: fields.NoteContent


class GoalForm(NewBody):
    yearly_goal: fields.YearlyGoal | None = None
