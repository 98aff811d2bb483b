"""Export, import and adopt shared lists, without passcodes and short ids."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from homeshelf.accounts import passwords
from homeshelf.coordination.adopting import Adoption, Found, Made, plan_claims
from homeshelf.coordination.belongings import Arrival
from homeshelf.shares.kind import all_kinds
from homeshelf.shares.model import (
    ROLES,
    ChildRecord,
    KeptList,
    PoolSlot,
    Shareable,
    ShortIdClaim,
    normalize_short_id,
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
    return [
        each.changed(short_id=_placeholder_id(number))
        for number, each in enumerate(await _lists_made_by(db, member_id))
    ]


async def children_made_by(
    children: Callable[[str], Query[Any]], db: Database, member_id: str
) -> Sequence[ChildRecord]:
    return [
        child.changed(short_id=_placeholder_id(number))
        for number, each in enumerate(await _lists_made_by(db, member_id))
        for child in await db.all(children(each.short_id).up_to_date(), skip=False)
    ]


async def move_in(db: Database, arrival: Arrival) -> Sequence[Record]:
    """Import lists under new short ids, so that the lost passcodes protect nothing."""
    records: list[Record] = []
    new: dict[str, str] = {}
    for shared in arrival.of(Shareable):
        short_id = new[shared.short_id] = _short_id(f"{arrival.salt} {shared.short_id}")
        saved = KeptList(member_id=arrival.owner_id, short_id=short_id, made=True)
        claim = ShortIdClaim(short_id=short_id, holder=arrival.owner_id)
        if await db.get(claim.own_key()) not in (None, claim):
            raise ValueError("a short id that was drawn is taken; try once more")
        records += [claim, saved, shared.changed(short_id=short_id)]
    for record in _child_records():
        for child in arrival.of(record):
            if child.short_id not in new:
                raise ValueError("a line belongs to none of its lists")
            records.append(child.changed(short_id=new[child.short_id]))
    return records


async def adopt(db: Database, found: Found) -> Adoption:
    """Claim the short ids of another program's lists, and give them a `ttl`."""
    lists = [each for each in found.of(Shareable) if _has_valid_expiry(each)]
    typed = [*(each.short_id for each in lists), *(slot.id for slot in found.of(PoolSlot))]
    short_ids = [short_id for each in typed if (short_id := normalize_short_id(each)) is not None]
    claims = await plan_claims(db, CLAIMS, map(claim_of, short_ids))
    endless = [each for each in lists if each.ttl is None]
    ends: list[Sequence[Made]] = [
        *([(ENDS, _set_ttl(each, each.purge_time))] for each in endless),
        *[[(ENDS, write)] for write in await _item_ttl_writes(db, found, lists)],
    ]
    remarks = [
        *(
            f"The list {each.short_id} does not say when it expires: nobody can open it."
            for each in found.of(Shareable)
            if not _has_valid_expiry(each)
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
            if (stored := each.passcode(role)) is not None and not passwords.is_safe_hash(stored)
        ),
    ]
    return Adoption([*claims.needs, *ends], remarks)


async def _item_ttl_writes(
    db: Database, found: Found, lists: Sequence[Shareable]
) -> Sequence[Write]:
    items = [each for record in _child_records() for each in found.of(record) if each.ttl is None]
    known = {each.bare_id: each for each in lists}
    keys = {each.bare_id: Shareable.key(short_id=each.short_id) for each in items}
    others = [key for bare_id, key in keys.items() if bare_id not in known]
    for each in await db.get_many(others, skip=True):
        if each is not None and _has_valid_expiry(each):
            known[each.bare_id] = each
    return [
        _set_ttl(item, shared.ttl or shared.purge_time)
        for item in items
        if (shared := known.get(item.bare_id)) is not None
    ]


def _set_ttl(record: Shareable | ChildRecord, ttl: int) -> Write:
    when = exists & attr("ttl").missing
    return record.update(record.own_key(), Set("ttl", ttl), when=when)


def _child_records() -> list[type[ChildRecord]]:
    return [record for kind in all_kinds() for record in kind.records]


def _has_valid_expiry(shared: Shareable) -> bool:
    try:
        shared.is_expired()
    except (ValueError, TypeError):  # no date, or one without a time zone
        return False
    return True


async def _lists_made_by(db: Database, member_id: str) -> list[Shareable]:
    saved = await db.all(kept_lists(member_id), skip=False)
    keys = [Shareable.key(short_id=each.short_id) for each in saved if each.made]
    return [each for each in await db.get_many(keys) if each is not None and not each.hidden]


def _placeholder_id(position: int) -> str:
    """Return an id that distinguishes the lists of a file, and is no list's short id."""
    return f"lis-tno-{position:05}"


def _short_id(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    letters = ""
    for _ in range(6):
        number, letter = divmod(number, len(LETTERS))
        letters += LETTERS[letter]
    return f"{letters[:3]}-{letters[3:]}-{number % 100_000:05}"
