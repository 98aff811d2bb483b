"""Forms of pages, validated by the models of the API's bodies."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, get_origin
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import ValidationError

from homeshelf.controls import without_control_characters
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.table import Record
from homeshelf.web.body import MOST_FIELDS, ON_PAGE, Body
from homeshelf.web.problems import field_errors

B = TypeVar("B", bound=Body)


@dataclass(frozen=True)
class Form(Generic[B]):
    """A submitted form: its texts, the body made from them, and its errors."""

    model: type[B]
    typed: dict[str, str] = field(default_factory=dict)
    body: B | None = None
    wrong: dict[str, str] = field(default_factory=dict)
    ticked: dict[str, list[str]] = field(default_factory=dict)
    """The values of fields that can have several."""

    def but(self, **wrong: str) -> "Form[B]":
        """Return the form with additional errors."""
        return Form(self.model, self.typed, None, self.wrong | wrong, self.ticked)

    def without(self, name: str) -> "Form[B]":
        typed = {each: text for each, text in self.typed.items() if each != name}
        return replace(self, typed=typed)

    @property
    def blank(self) -> "Form[B]":
        return Form(self.model)

    def limits(self, name: str) -> dict[str, int]:
        return self.model.rule_of(name).attributes

    def about(self, name: str) -> list[str]:
        """Return the distinct errors of a field that can have several values."""
        wrong = (why for each, why in self.wrong.items() if each.partition(".")[0] == name)
        return list(dict.fromkeys(wrong))

    def value(self, name: str, otherwise: Any = "") -> Any:
        """Return the text to show in a field; secrets are not shown again.

        Control characters are removed, because a form with an old name that has one would be
        refused.
        """
        if not self.model.field_named(name).repr:
            return ""
        value = self.typed.get(name, otherwise)
        if self.model.rule_of(name).kind == "any" or not isinstance(value, str):
            return value
        return without_control_characters(value)


def form_texts(record: Record, model: type[Body]) -> dict[str, str]:
    return {
        field.alias or name: "" if (value := getattr(record, name)) is None else str(value)
        for name, field in model.model_fields.items()
        if hasattr(record, name)
    }


async def parse_form(request: Request, model: type[B]) -> Form[B]:
    """Parse and validate the form of a request; an empty field counts as missing."""
    return make_form(model, await read_fields(request))


async def read_fields(request: Request, most: int = MOST_FIELDS) -> list[tuple[str, str]]:
    body = await request.body()
    try:
        return parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise Invalid([], _("This form isn’t from Homeshelf. Open the page again.")) from None


def make_form(model: type[B], sent: Sequence[tuple[str, str]]) -> Form[B]:
    typed = dict(sent)
    ticked: dict[str, list[str]] = {name: [] for name in _list_fields(model) if name in typed}
    for name, text in sent:
        if name in ticked and text.strip():
            ticked[name].append(text)
    one = {name: text for name, text in typed.items() if text.strip() and name not in ticked}
    try:
        body = model.model_validate(one | ticked, strict=False, context=ON_PAGE)
    except ValidationError as error:
        return Form(model, typed, None, dict(field_errors(error.errors(), skip=0)), ticked)
    return Form(model, typed, body, ticked=ticked)


def _list_fields(model: type[Body]) -> list[str]:
    fields = model.model_fields.items()
    return [each.alias or name for name, each in fields if get_origin(each.annotation) is list]
