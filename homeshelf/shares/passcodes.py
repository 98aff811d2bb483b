"""Hash and check the passcodes of lists, in their own lanes and within limits on guessing."""

from collections.abc import Mapping

from homeshelf import security_log
from homeshelf.accounts import passwords
from homeshelf.coordination.attempts import Count, GlobalCount
from homeshelf.errors import Expired, Invalid, Unauthenticated
from homeshelf.sentences import _
from homeshelf.shares.access import EXPIRED, NO_GRANT, Grant
from homeshelf.shares.fields import NOT_DIFFERENT
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import ROLES, Passcodes, Role, Shareable
from homeshelf.signing import digest
from homeshelf.web.limits import Lane
from homeshelf.web.services import Services

LIST_LIMIT = "unlock-list"
FIELDS: dict[Role, str] = {"view": "viewPasscode", "admin": "adminPasscode"}
WRONG_PASSCODE = _("That isn’t the list’s passcode.")


async def unlock(
    services: Services, address: str, shared: Shareable, grant: Grant, passcode: str
) -> Grant:
    """Return the grant of a passcode, counting the attempt before anything is hashed."""
    if shared.manager_role is None and not shared.is_expired():
        return NO_GRANT
    roles: list[Role] = [role for role in reversed(ROLES) if shared.passcode(role) is not None]
    if shared.is_expired():
        if shared.admin_passcode is None:
            raise Expired(EXPIRED)
        roles = ["admin"]
    settings, id_ = services.settings, shared.bare_id
    counts = [Count("unlock", f"{id_} {address}", settings.limit_unlocks)]
    global_count = None
    if grant.valid_role(shared) is None:
        global_count = GlobalCount(Count(LIST_LIMIT, id_, settings.limit_unlocks_list), address)
    else:  # guesses of strangers do not count against a caller who has already unlocked the list
        counts.append(Count("unlock-again", id_, settings.limit_unlocks_list))
    successes, lanes = _unlock_count(services, address), services.limits.of(ShareLimits).lanes
    async with services.limits.attempt(
        *counts, successes=successes, global_count=global_count, turn=successes.name, lanes=lanes
    ) as (attempt, lane):
        for role in roles:
            if await passwords.verify_password(passcode, shared.passcode(role), lane):
                await attempt.mark_success()
                return Grant(role, shared.passcode_version(role), grant.is_maker)
        security_log.note("unlock_failed", list=digest(id_)[:8])
        raise Unauthenticated(WRONG_PASSCODE, entity=shared.entity)


async def hash_new_passcodes(services: Services, address: str, given: Passcodes) -> Passcodes:
    if given.view is not None and given.view == given.admin:
        raise Invalid([(FIELDS["admin"], NOT_DIFFERENT)])
    if not given.by_role:
        return given
    async with services.limits.turns.take(_unlock_count(services, address).name):
        with services.limits.of(ShareLimits).strangers.place() as lane:
            hashes = {
                role: await passwords.hash_password(text, lane)
                for role, text in given.by_role.items()
            }
    return Passcodes(**hashes)


async def hash_changed_passcodes(
    services: Services, address: str | None, shared: Shareable, given: Mapping[Role, str | None]
) -> dict[Role, str | None]:
    """Hash the given passcodes, counted for the address; the command line has none."""
    if not any(given.values()):
        return dict(given)
    limits = services.limits.of(ShareLimits)
    if address is None:
        with limits.holders.place() as lane:
            return await _hash_distinct_passcodes(shared, given, lane)
    count = _unlock_count(services, address)
    async with services.limits.attempt(count, lanes=limits.lanes) as (_attempt, lane):
        return await _hash_distinct_passcodes(shared, given, lane)


async def _hash_distinct_passcodes(
    shared: Shareable, given: Mapping[Role, str | None], lane: Lane
) -> dict[Role, str | None]:
    for role, text in given.items():
        other: Role = "view" if role == "admin" else "admin"
        if text is None:
            continue
        if other in given:
            same = text == given[other]
        else:
            stored = shared.passcode(other)
            same = stored is not None and await passwords.verify_password(text, stored, lane)
        if same:
            raise Invalid([(FIELDS[role], NOT_DIFFERENT)])
    return {
        role: None if text is None else await passwords.hash_password(text, lane)
        for role, text in given.items()
    }


def _unlock_count(services: Services, address: str) -> Count:
    return Count("unlocked", address, services.settings.limit_unlocked)
