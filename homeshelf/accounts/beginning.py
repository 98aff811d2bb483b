"""Start a session, in a browser or for a program, and report a new device."""

from fastapi import Request, Response

from homeshelf import security_log
from homeshelf.accounts import devices, store
from homeshelf.accounts.browsers import keep_signed_in, within
from homeshelf.accounts.model import Account, Session, SessionTerms
from homeshelf.languages.negotiation import asked_for
from homeshelf.web.pages import see_other
from homeshelf.web.services import Services


async def let_in(
    request: Request, services: Services, account: Account, way_on: str, *, vouched: bool = False
) -> Response:
    """`vouched`: an identity provider has signed the person in."""
    shown = devices.browser(request)
    terms = SessionTerms.of(services.settings) if vouched else None
    session = await _begin(services, account, shown, terms)
    asked = asked_for(request.scope["headers"])
    if asked and asked.code != account.came_with:
        await store.set_preferences(services.db, account.member_id, {"came_with": asked.code})
    response = see_other(within(way_on))
    keep_signed_in(request, response, session)
    devices.keep_mark(request, response, shown)
    return response


async def begin_for_program(request: Request, services: Services, account: Account) -> Session:
    return await _begin(services, account, devices.program(request))


async def _begin(
    services: Services, account: Account, shown: devices.Shown, vouched: SessionTerms | None = None
) -> Session:
    noted = await devices.noted(services, account, shown)
    session = await store.start_session(
        services.db, account, shown.name, vouched=vouched, writes=noted.writes
    )
    if noted.is_new:
        security_log.note("new_device", member_id=account.member_id, device=shown.name)
    return session
