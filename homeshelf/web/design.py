"""The `/design` page, which shows every component in every state if `HOMESHELF_DESIGN` is on."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Request, Response

from homeshelf.sentences import _
from homeshelf.web.body import Email, NewBody, text
from homeshelf.web.drawings import step_chart
from homeshelf.web.forms import Form
from homeshelf.web.pages import page, page_router

router = page_router()

ROWS = (("Ada Smith", "Paper towels", "3 left, about 5 days", 3), ("Ben", "Milk", "gone", 0))
THINGS = (("Oat milk", ""), ("Our secret", "🦊"), ("Xylitol", ""))
STORES = ({"id": "corner", "name": "Corner shop"}, {"id": "market", "name": "Market"})
POINTS = [(datetime(2026, 3, day, tzinfo=UTC), left) for day, left in ((2, 6), (9, 4), (16, 1))]


class Example(NewBody):
    name: Annotated[str, text(1, 100, _("Enter a name of up to 100 characters."))]
    email: Email
    store: str | None = None
    notes: Annotated[str, text(0, 500, _("Use at most 500 characters."))] | None = None


@router.get("/design")
async def design(request: Request) -> Response:
    typed = {"name": "Ada", "email": "ada@"}
    return page(
        request,
        "web/design.html",
        form=Form(Example, typed, wrong={"email": "Write it like ada@example.org."}),
        rows=ROWS,
        things=THINGS,
        stores=STORES,
        chart=step_chart(POINTS, 2, datetime(2026, 3, 20, tzinfo=UTC), "From 6 to 1", UTC),
        points=[(at.isoformat(), left) for at, left in POINTS],
    )
