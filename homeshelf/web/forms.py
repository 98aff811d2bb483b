"""Forms of pages, checked by the same models as the bodies of the API."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import ValidationError

from homeshelf.errors import Invalid
from homeshelf.web.body import MOST_FIELDS, Body
from homeshelf.web.csrf import require_same_origin
from homeshelf.web.problems import field_errors

B = TypeVar("B", bound=Body)


@dataclass(frozen=True)
class Form(Generic[B]):
    """What was typed, what it comes to, and what is wrong with it."""

    typed: dict[str, str] = field(default_factory=dict)
    body: B | None = None
    wrong: dict[str, str] = field(default_factory=dict)

    def but(self, **wrong: str) -> "Form[B]":
        """The same form, with something wrong that only the table could know."""
        return Form(self.typed, None, self.wrong | wrong)


async def sent_form(request: Request, model: type[B]) -> Form[B]:
    """The form of this request. An empty field counts as left out."""
    require_same_origin(request)
    typed = _typed(await request.body())
    filled = {name: text for name, text in typed.items() if text.strip()}
    try:
        return Form(typed, model.model_validate(filled, strict=False))
    except ValidationError as error:
        return Form(typed, None, dict(field_errors(error.errors(), skip=0)))


def _typed(body: bytes) -> dict[str, str]:
    """Fields by name, as browsers send those of our pages; the last of a name counts."""
    try:
        sent = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Invalid([], "This is no form of ours.") from None
    return dict(sent)
