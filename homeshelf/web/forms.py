"""Forms of pages, checked by the same models as the bodies of the API."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fastapi import Request
from pydantic import ValidationError

from homeshelf.web.body import Body
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
    sent = (await request.form()).items()
    typed = {name: text for name, text in sent if isinstance(text, str)}
    filled = {name: text for name, text in typed.items() if text.strip()}
    try:
        return Form(typed, model.model_validate(filled, strict=False))
    except ValidationError as error:
        return Form(typed, None, dict(field_errors(error.errors(), skip=0)))
