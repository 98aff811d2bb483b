"""Lists that another program made: their short ids are taken, and they are kept as long as ours."""

from collections.abc import Iterable, Sequence

from homeshelf.accounts import passwords
from homeshelf.shares.model import ROLES, ChecklistItem, PoolSlot, Shareable, short_id_of
from homeshelf.shares.pool import claim_of
from homeshelf.table import Database, Set, Write, attr, exists
from homeshelf.web.adopting import Adoption, Found, Made, taking

CLAIMS = "short ids"
ENDS = "ends of lists and of what is on them"


async def adopt(db: Database, found: Found) -> Adoption:
    lists = [each for each in found.of(Shareable) if _ends(each)]
    broken = [each for each in found.of(Shareable) if not _ends(each)]
    typed = [*(each.short_id for each in lists), *(slot.id for slot in found.of(PoolSlot))]
    short_ids = [short_id for each in typed if (short_id := short_id_of(each)) is not None]
    claims = await taking(db, CLAIMS, map(claim_of, short_ids))
    ends: list[Sequence[Made]] = [
        *([(ENDS, _ending(each, each.kept_until))] for each in lists if each.ttl is None),
        *[[(ENDS, write)] for write in await _items_ending(db, found, lists)],
    ]
    return Adoption(
        [*claims.needs, *ends],
        [
            *(_endless(each) for each in broken),
            *(_overdue(each) for each in lists if each.ttl is None and each.is_purged()),
            *(_locked(each, role) for each in lists for role in _unknowable(each)),
        ],
    )


def _unknowable(shared: Shareable) -> list[str]:
    """Whose passcode nobody can show to know, of a list that somebody may still open."""
    if shared.is_purged():
        return []
    return [
        role
        for role in ROLES
        if (stored := shared.passcode(role)) is not None and not passwords.can_compare(stored)
    ]


async def _items_ending(db: Database, found: Found, lists: Sequence[Shareable]) -> Iterable[Write]:
    """What is on a list is kept as long as the list; without one it is never shown."""
    items = [each for each in found.of(ChecklistItem) if each.ttl is None]
    known = {each.bare_id: each for each in lists}
    asked = {each.bare_id: Shareable.key(short_id=each.short_id) for each in items}
    others = [key for bare_id, key in asked.items() if bare_id not in known]
    for each in await db.get_many(others, skip=True):
        if each is not None and _ends(each):
            known[each.bare_id] = each
    return [
        _ending(item, shared.ttl or shared.kept_until)
        for item in items
        if (shared := known.get(item.bare_id)) is not None
    ]


def _ending(record: Shareable | ChecklistItem, ttl: int) -> Write:
    when = exists & attr("ttl").missing
    return record.update(record.own_key(), Set("ttl", ttl), when=when)


def _ends(shared: Shareable) -> bool:
    """Whether it says at which moment it expires."""
    try:
        shared.is_expired()
    except (ValueError, TypeError):  # no date, or one without a time zone
        return False
    return True


def _endless(shared: Shareable) -> str:
    return f"The list {shared.short_id} does not say when it expires: nobody can open it."


def _overdue(shared: Shareable) -> str:
    return f"The list {shared.short_id} expired more than a year ago: it goes now."


def _locked(shared: Shareable, role: str) -> str:
    return (
        f"Nobody can show to know the {role} passcode of the list {shared.short_id}: it admits "
        f"nobody until you set another, with homeshelf share passcode {shared.short_id} --{role}."
    )
