"""The lists that somebody made, in a file: what is on them, and neither their short ids, by which
anybody opens them, nor their passcodes."""

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from homeshelf.shares.keeping import kept_lists
from homeshelf.shares.model import ChecklistItem, KeptList, Shareable, ShortIdClaim
from homeshelf.shares.pool import LETTERS
from homeshelf.shares.store import items_of
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Arrival

PROTECTION: Mapping[str, Any] = MappingProxyType(
    {"view_passcode": None, "admin_passcode": None, "ordering": None, "hidden": None}
)


async def lists_made_by(db: Database, member_id: str) -> Sequence[Shareable]:
    made = await _made_by(db, member_id)
    return [each.changed(short_id=_number(at)) for at, each in enumerate(made)]


async def items_made_by(db: Database, member_id: str) -> Sequence[ChecklistItem]:
    return [
        item.changed(short_id=_number(at))
        for at, each in enumerate(await _made_by(db, member_id))
        for item in await db.all(items_of(each.short_id).up_to_date(), skip=False)
    ]


async def move_in(db: Database, arrival: Arrival) -> Sequence[Record]:
    """Under short ids that nobody knows: so one that had a passcode needs none for now."""
    records: list[Record] = []
    new: dict[str, str] = {}
    for shared in arrival.of(Shareable):
        short_id = new[shared.short_id] = _short_id(f"{arrival.salt} {shared.short_id}")
        kept = KeptList(member_id=arrival.owner_id, short_id=short_id, made=True)
        claim = ShortIdClaim(short_id=short_id, holder=arrival.owner_id)
        if await db.get(claim.own_key()) not in (None, claim):
            raise ValueError("a short id that was drawn is taken; try once more")
        records += [claim, kept, shared.changed(short_id=short_id)]
    for item in arrival.of(ChecklistItem):
        if item.short_id not in new:
            raise ValueError("a line belongs to none of its lists")
        records.append(item.changed(short_id=new[item.short_id]))
    return records


async def _made_by(db: Database, member_id: str) -> list[Shareable]:
    kept = await db.all(kept_lists(member_id), skip=False)
    keys = [Shareable.key(short_id=each.short_id) for each in kept if each.made]
    return [each for each in await db.get_many(keys) if each is not None and not each.hidden]


def _number(position: int) -> str:
    """Tells the lists of a file apart, and opens none."""
    return f"lis-tno-{position:05}"


def _short_id(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    letters = ""
    for _ in range(6):
        number, letter = divmod(number, len(LETTERS))
        letters += LETTERS[letter]
    return f"{letters[:3]}-{letters[3:]}-{number % 100_000:05}"
