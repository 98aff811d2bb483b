"""The devices that people sign in with, so that they are told of a new one.

A random mark in a cookie identifies a browser, name and address identify a program. The table
holds a digest of either, and neither signs anybody in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from fastapi import Request, Response

from homeshelf import clock
from homeshelf.accounts.browsers import cookie, cookie_name, device_of
from homeshelf.accounts.messages import new_device_writes
from homeshelf.accounts.model import Account, Session
from homeshelf.signing import digest
from homeshelf.table import HELPER, Database, Keys, Record, Write
from homeshelf.web.limits import address_of
from homeshelf.web.services import Services

COOKIE = "homeshelf-device"
KEPT_SECONDS = 400 * 24 * 3600
NOTED_AGAIN_SECONDS = 7 * 24 * 3600
MOST = 100
_MARK = re.compile(r"[\w-]{20,80}")


class Device(Record):
    """A device that somebody has signed in with."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="DEVICE#{deviceDigest}")

    member_id: str
    device_digest: str
    seen: int
    """The last sign-in in Unix seconds, give or take a week."""
    ttl: int

    @classmethod
    def now(cls, account: Account, mark: str) -> "Device":
        now = clock.seconds()
        return cls(
            member_id=account.member_id,
            device_digest=digest(mark),
            seen=now,
            ttl=now + KEPT_SECONDS,
        )


@dataclass(frozen=True)
class Shown:
    mark: str = field(repr=False)
    name: str
    address: str


def browser(request: Request) -> Shown:
    """Identify a browser by its cookie, or by a new mark for it to keep."""
    return _shown(request, _kept(request) or clock.new_token())


def program(request: Request) -> Shown:
    """Identify a program by its name without a version, and by its address."""
    name = device_of(request).partition("/")[0]
    return _shown(request, _kept(request) or f"{name} at {address_of(request)}")


def keep_mark(request: Request, response: Response, shown: Shown) -> None:
    response.set_cookie(**cookie(request, COOKIE), value=shown.mark, max_age=KEPT_SECONDS)


@dataclass(frozen=True)
class Noted:
    writes: Sequence[Write] = ()
    is_new: bool = False
    """Whether the person has signed in before, and never with this device."""


async def noted(services: Services, account: Account, shown: Shown) -> Noted:
    """Return the writes that note a device; beyond `MOST`, those unseen for longest go."""
    db, device = services.db, Device.now(account, shown.mark)
    known = await db.get(device.own_key())
    if known is not None:
        seen_lately = device.seen - known.seen < NOTED_AGAIN_SECONDS
        return Noted() if seen_lately else Noted([device.put()])
    found = await db.all(Device.where(member_id=account.member_id).up_to_date())
    others = sorted(found, key=attrgetter("seen"))
    if not others and not await _was_signed_in(db, account):
        return Noted([device.put()])
    forgotten = [each.delete() for each in others[: max(0, len(others) + 1 - MOST)]]
    told = new_device_writes(services, account, shown.name, shown.address)
    return Noted([device.put(), *forgotten, *told], is_new=True)


async def _was_signed_in(db: Database, account: Account) -> bool:
    """Sessions may be older than the noting of devices."""
    sessions = Session.where(member_id=account.member_id).up_to_date()
    return bool((await db.query(sessions.page(1))).items)


def _kept(request: Request) -> str | None:
    kept = request.cookies.get(cookie_name(request, COOKIE), "")
    return kept if _MARK.fullmatch(kept) else None


def _shown(request: Request, mark: str) -> Shown:
    return Shown(mark, device_of(request), request.client.host if request.client else "")
