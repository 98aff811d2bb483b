"""Start sessions, and notify people who sign in on a new device."""

import re
from operator import attrgetter

from fastapi import Request, Response

from homeshelf import clock, security_log
from homeshelf.accounts import store
from homeshelf.accounts.browsers import (
    cookie,
    cookie_name,
    device_of,
    local_path,
    set_session_cookie,
)
from homeshelf.accounts.model import Account, Session, SessionPolicy
from homeshelf.languages import requested_language
from homeshelf.outbox.model import letter
from homeshelf.outbox.store import writes_for_all_channels
from homeshelf.signing import digest
from homeshelf.table import HELPER, Database, Keys, Record, Write
from homeshelf.web.limits import address_of
from homeshelf.web.pages import see_other
from homeshelf.web.services import Services

COOKIE = "homeshelf-device"
DEVICE_TTL = 400 * 24 * 3600
REFRESH_SECONDS = 7 * 24 * 3600
MAX_DEVICES = 100
_MARK = re.compile(r"[\w-]{20,80}")


class Device(Record):
    """A device that a person has signed in with."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="DEVICE#{deviceDigest}")

    member_id: str
    device_digest: str
    seen: int
    """The Unix time of the last sign-in, accurate to a week."""
    ttl: int


async def sign_in_browser(
    request: Request,
    services: Services,
    account: Account,
    next_path: str,
    *,
    by_provider: bool = False,
) -> Response:
    mark = _device_mark(request) or clock.new_token()
    policy = SessionPolicy.from_settings(services.settings) if by_provider else None
    session = await _begin_session(request, services, account, mark, policy)
    language = requested_language(request.scope["headers"])
    if language and language.code != account.came_with:
        await store.set_preferences(services.db, account.own_key(), {"came_with": language.code})
    response = see_other(local_path(next_path))
    set_session_cookie(request, response, session)
    response.set_cookie(**cookie(request, COOKIE), value=mark, max_age=DEVICE_TTL)
    return response


async def start_program_session(request: Request, services: Services, account: Account) -> Session:
    """Identify a program by its address, and by its name without a version."""
    name = device_of(request).partition("/")[0]
    mark = _device_mark(request) or f"{name} at {address_of(request)}"
    return await _begin_session(request, services, account, mark)


def _device_mark(request: Request) -> str | None:
    kept = request.cookies.get(cookie_name(request, COOKIE), "")
    return kept if _MARK.fullmatch(kept) else None


async def _begin_session(
    request: Request,
    services: Services,
    account: Account,
    mark: str,
    policy: SessionPolicy | None = None,
) -> Session:
    name, address = device_of(request), request.client.host if request.client else ""
    writes, is_new = await _device_writes(services.db, account, mark)
    if is_new:
        new_letter = letter("new_device", memberId=account.member_id, device=name, address=address)
        writes += writes_for_all_channels(services.settings, new_letter)
    session = await store.start_session(services.db, account, name, provider=policy, writes=writes)
    if is_new:
        security_log.note("new_device", member_id=account.member_id, device=name)
    return session


async def _device_writes(db: Database, account: Account, mark: str) -> tuple[list[Write], bool]:
    """Return the writes, and whether the device is new to a returning person."""
    member_id, now = account.member_id, clock.seconds()
    device = Device(member_id=member_id, device_digest=digest(mark), seen=now, ttl=now + DEVICE_TTL)
    known = await db.get(device.own_key())
    if known is not None:
        return [device.put()] if now - known.seen >= REFRESH_SECONDS else [], False
    found = await db.all(Device.where(member_id=member_id).up_to_date())
    if not found:  # sessions may be older than the records of devices
        sessions = await db.query(Session.where(member_id=member_id).up_to_date().page(1))
        return [device.put()], bool(sessions.items)
    unseen = sorted(found, key=attrgetter("seen"))[: max(0, len(found) + 1 - MAX_DEVICES)]
    return [device.put(), *(each.delete() for each in unseen)], True
