"""Where people are led once they are signed in."""

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response

from homeshelf.accounts import store
from homeshelf.accounts.cookies import keep_signed_in
from homeshelf.accounts.devices import device_of
from homeshelf.accounts.model import Account
from homeshelf.accounts.terms import SessionTerms
from homeshelf.web.pages import see_other
from homeshelf.web.services import Services

Next = Annotated[str, Query(alias="next", max_length=500)]


async def let_in(
    request: Request, services: Services, account: Account, way_on: str, *, vouched: bool = False
) -> Response:
    """`vouched` says that an identity provider says who they are."""
    device = device_of(request.headers.get("user-agent", ""))
    session = await store.start_session(
        services.db,
        account,
        device,
        vouched=SessionTerms.of(services.settings) if vouched else None,
    )
    response = see_other(within(way_on))
    keep_signed_in(request, response, session)
    return response


def within(path: str) -> str:
    """A way on within Homeshelf, wherever the link wanted to lead."""
    if not path.startswith("/") or path.startswith(("//", "/\\")):
        return "/"
    return quote(path, safe="/?=&%#-_.~")
