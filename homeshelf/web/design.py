"""Every part in every state, for those who build pages: where `HOMESHELF_DESIGN` is on."""

from typing import Annotated

from fastapi import Request, Response

from homeshelf.web.body import Email, NewBody, text
from homeshelf.web.forms import Form
from homeshelf.web.pages import page
from homeshelf.web.requests import page_router

router = page_router()


class Example(NewBody):
    name: Annotated[str, text(1, 100, "A name has 1 to 100 characters.")]
    email: Email
    notes: Annotated[str, text(0, 500, "Notes have at most 500 characters.")] | None = None


@router.get("/design")
async def design(request: Request) -> Response:
    typed = {"name": "Ada", "email": "ada@"}
    form = Form(Example, typed, wrong={"email": "Write it like ada@example.org."})
    return page(request, "web/design.html", form=form)
