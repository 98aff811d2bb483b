"""Shared lists in files of a person, and shared lists that another program made.

A file has what is on a list, but not its passcodes, nor the short id by which anyone opens it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from homeshelf.accounts import passwords
from homeshelf.coordination.adopting import Adoption, Found, Made, taking
from homeshelf.coordination.belongings import Arrival
from homeshelf.shares.kind import all_kinds
from homeshelf.shares.model import (
    ROLES,
    ChildRecord,
    KeptList,
    PoolSlot,
    Shareable,
    ShortIdClaim,
    short_id_of,
)
from homeshelf.shares.pool import LETTERS, claim_of
from homeshelf.shares.saved_lists import kept_lists
from homeshelf.table import Database, Query, Record, Set, Write, attr, exists

PROTECTION: Mapping[str, Any] = MappingProxyType(
    {"view_passcode": None, "admin_passcode": None, "ordering": None, "hidden": None}
)
CLAIMS = "short ids"
ENDS = "ends of lists and of what is on them"


async def lists_made_by(db: Database, member_id: str) -> Sequence[Shareable]:
    made = await _made_by(db, member_id)
    return [each.changed(short_id=_number(at)) for at, each in enumerate(made)]


async def children_made_by(
    children: Callable[[str], Query[Any]], db: Database, member_id: str
) -> Sequence[ChildRecord]:
    """Return the records of the person's lists that a query finds by the short id of one."""
    return [
        child.changed(short_id=_number(at))
        for at, each in enumerate(await _made_by(db, member_id))
        for child in await db.all(children(each.short_id).up_to_date(), skip=False)
    ]


async def move_in(db: Database, arrival: Arrival) -> Sequence[Record]:
    """Give the lists short ids that are unknown to all: one that had a passcode needs none yet."""
    records: list[Record] = []
    new: dict[str, str] = {}
    for shared in arrival.of(Shareable):
        short_id = new[shared.short_id] = _short_id(f"{arrival.salt} {shared.short_id}")
        kept = KeptList(member_id=arrival.owner_id, short_id=short_id, made=True)
        claim = ShortIdClaim(short_id=short_id, holder=arrival.owner_id)
        if await db.get(claim.own_key()) not in (None, claim):
            raise ValueError("a short id that was drawn is taken; try once more")
        records += [claim, kept, shared.changed(short_id=short_id)]
    for record in _child_records():
        for child in arrival.of(record):
            if child.short_id not in new:
                raise ValueError("a line belongs to none of its lists")
            records.append(child.changed(short_id=new[child.short_id]))
    return records


async def adopt(db: Database, found: Found) -> Adoption:
    """Claim the short ids of another program's lists, and keep these as long as our own."""
    lists = [each for each in found.of(Shareable) if _says_when_it_expires(each)]
    typed = [*(each.short_id for each in lists), *(slot.id for slot in found.of(PoolSlot))]
    short_ids = [short_id for each in typed if (short_id := short_id_of(each)) is not None]
    claims = await taking(db, CLAIMS, map(claim_of, short_ids))
    endless = [each for each in lists if each.ttl is None]
    ends: list[Sequence[Made]] = [
        *([(ENDS, _set_ttl(each, each.kept_until))] for each in endless),
        *[[(ENDS, write)] for write in await _item_ttl_writes(db, found, lists)],
    ]
    remarks = [
        *(
            f"The list {each.short_id} does not say when it expires: nobody can open it."
            for each in found.of(Shareable)
            if not _says_when_it_expires(each)
        ),
        *(
            f"The list {each.short_id} expired more than a year ago: it goes now."
            for each in endless
            if each.is_purged()
        ),
        *(
            f"Nobody can show to know the {role} passcode of the list {each.short_id}: it admits "
            "nobody until you set another, with "
            f"homeshelf share passcode {each.short_id} --{role}."
            for each in lists
            if not each.is_purged()
            for role in ROLES
            if (stored := each.passcode(role)) is not None and not passwords.can_compare(stored)
        ),
    ]
    return Adoption([*claims.needs, *ends], remarks)


async def _item_ttl_writes(
    db: Database, found: Found, lists: Sequence[Shareable]
) -> Sequence[Write]:
    """Keep items as long as their list; without one they are never shown."""
    items = [each for record in _child_records() for each in found.of(record) if each.ttl is None]
    known = {each.bare_id: each for each in lists}
    asked = {each.bare_id: Shareable.key(short_id=each.short_id) for each in items}
    others = [key for bare_id, key in asked.items() if bare_id not in known]
    for each in await db.get_many(others, skip=True):
        if each is not None and _says_when_it_expires(each):
            known[each.bare_id] = each
    return [
        _set_ttl(item, shared.ttl or shared.kept_until)
        for item in items
        if (shared := known.get(item.bare_id)) is not None
    ]


def _set_ttl(record: Shareable | ChildRecord, ttl: int) -> Write:
    when = exists & attr("ttl").missing
    return record.update(record.own_key(), Set("ttl", ttl), when=when)


def _child_records() -> list[type[ChildRecord]]:
    return [record for kind in all_kinds() for record in kind.records]


def _says_when_it_expires(shared: Shareable) -> bool:
    try:
        shared.is_expired()
    except (ValueError, TypeError):  # no date, or one without a time zone
        return False
    return True


async def _made_by(db: Database, member_id: str) -> list[Shareable]:
    kept = await db.all(kept_lists(member_id), skip=False)
    keys = [Shareable.key(short_id=each.short_id) for each in kept if each.made]
    return [each for each in await db.get_many(keys) if each is not None and not each.hidden]


def _number(position: int) -> str:
    """Return a stand-in that tells the lists of a file apart, and opens none."""
    return f"lis-tno-{position:05}"


def _short_id(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    letters = ""
    for _ in range(6):
        number, letter = divmod(number, len(LETTERS))
        letters += LETTERS[letter]
    return f"{letters[:3]}-{letters[3:]}-{number % 100_000:05}"
