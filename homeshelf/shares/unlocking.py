"""Passcodes: hashed like passwords, and guessed at no faster than the limits allow.

Lists have their own lanes for hashing, and each address hashes one passcode at a time, so that a
crowd at lists delays neither sign-ins nor other addresses.
"""

from collections.abc import Mapping

from homeshelf import security_log
from homeshelf.accounts import passwords
from homeshelf.coordination.attempts import Anywhere, Count
from homeshelf.errors import Expired, Invalid, Unauthenticated
from homeshelf.sentences import _
from homeshelf.shares.access import NOTHING, OVER, Held
from homeshelf.shares.fields import NOT_DIFFERENT
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import ROLES, Passcodes, Role, Shareable
from homeshelf.signing import digest
from homeshelf.web.limits import Lane
from homeshelf.web.services import Services

LIST = "unlock-list"
FIELDS: dict[Role, str] = {"view": "viewPasscode", "admin": "adminPasscode"}
WRONG = _("This is not the list's passcode.")


async def unlock(
    services: Services, address: str, shared: Shareable, held: Held, passcode: str
) -> Held:
    """Return what the passcode gives, counting the attempt before anything is hashed.

    A list without passcodes gives nothing; an expired one opens to its admin passcode alone.
    """
    if shared.own_role is None and not shared.is_expired():
        return NOTHING
    roles: list[Role] = [role for role in reversed(ROLES) if shared.passcode(role) is not None]
    if shared.is_expired():
        if shared.admin_passcode is None:
            raise Expired(OVER)
        roles = ["admin"]
    settings, id_ = services.settings, shared.bare_id
    counts = [Count("unlock", f"{id_} {address}", settings.limit_unlocks)]
    anywhere = None
    if held.role_of(shared) is None:
        anywhere = Anywhere(Count(LIST, id_, settings.limit_unlocks_list), address)
    else:  # strangers who guess do not count against who is in already
        counts.append(Count("unlock-again", id_, settings.limit_unlocks_list))
    right, lanes = _right(services, address), services.limits.of(ShareLimits).lanes
    async with services.limits.attempt(
        *counts, successes=right, anywhere=anywhere, turn=right.name, lanes=lanes
    ) as (attempt, lane):
        for role in roles:
            if await passwords.matches(passcode, shared.passcode(role), lane):
                await attempt.forgive()
                return Held(role, shared.passcode_version(role), held.is_maker)
        security_log.note("unlock_failed", list=digest(id_)[:8])
        raise Unauthenticated(WRONG, entity=shared.entity)


async def hashed_for_new(services: Services, address: str, given: Passcodes) -> Passcodes:
    if given.view is not None and given.view == given.admin:
        raise Invalid([(FIELDS["admin"], NOT_DIFFERENT)])
    if not given.by_role:
        return given
    async with services.limits.turns.take(_right(services, address).name):
        with services.limits.of(ShareLimits).strangers.place() as lane:
            hashes = {
                role: await passwords.hashed(text, lane) for role, text in given.by_role.items()
            }
    return Passcodes(**hashes)


async def hashed_for(
    services: Services, address: str | None, shared: Shareable, given: Mapping[Role, str | None]
) -> dict[Role, str | None]:
    """Return the hashes of the given passcodes; None removes one, which needs no hash.

    They are counted for the address; the operator, on the command line, has none.
    """
    if not any(given.values()):
        return dict(given)
    limits = services.limits.of(ShareLimits)
    if address is None:
        with limits.holders.place() as lane:
            return await _hashed(shared, given, lane)
    right = _right(services, address)
    async with services.limits.attempt(right, lanes=limits.lanes) as (_attempt, lane):
        return await _hashed(shared, given, lane)


async def _hashed(
    shared: Shareable, given: Mapping[Role, str | None], lane: Lane
) -> dict[Role, str | None]:
    for role, text in given.items():
        other: Role = "view" if role == "admin" else "admin"
        if text is None:
            continue
        if other in given:
            same = text == given[other]
        else:
            stays = shared.passcode(other)
            same = stays is not None and await passwords.matches(text, stays, lane)
        if same:
            raise Invalid([(FIELDS[role], NOT_DIFFERENT)])
    return {
        role: None if text is None else await passwords.hashed(text, lane)
        for role, text in given.items()
    }


def _right(services: Services, address: str) -> Count:
    """Count what one address unlocks together with the passcodes that it changes."""
    return Count("unlocked", address, services.settings.limit_unlocked)
