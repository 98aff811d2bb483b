"""The lists that a signed-in person made or kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homeshelf.errors import NotFound
from homeshelf.shares.access import SEE, Held, access_to, may
from homeshelf.shares.model import KeptList, Shareable
from homeshelf.table import Database, Query, attr
from homeshelf.table.operations import KeyValue


@dataclass(frozen=True)
class MyList:
    shared: Shareable
    name: str | None
    """None if the person may no longer view the list."""


def kept_lists(member_id: str) -> Query[KeptList]:
    """Lists that a person made or kept."""
    return KeptList.where(member_id=member_id).up_to_date()


async def is_maker(db: Database, member_id: str, short_id: str) -> bool:
    kept = await db.get(KeptList.key(member_id=member_id, short_id=short_id))
    return kept is not None and kept.made


async def my_lists(
    db: Database, member_id: str, limit: int, start: Mapping[str, KeyValue] | None = None
) -> tuple[Sequence[MyList], Mapping[str, KeyValue] | None]:
    """Return a page, full unless it is the last, and forget lists that were deleted or purged."""
    found: list[MyList] = []
    query = kept_lists(member_id).only(attr("listed") == True)  # noqa: E712  # a condition
    while True:
        page = await db.query(query.page(limit - len(found), start))
        shareds = await db.get_many([Shareable.key(short_id=k.short_id) for k in page.items])
        gone = []
        for kept, shared in zip(page.items, shareds, strict=True):
            if shared is None or shared.is_purged():
                gone.append(kept.delete())
            elif not shared.hidden:
                visible = may(shared, Held(kept.role, kept.passcode, kept.made), SEE)
                found.append(MyList(shared, shared.name if visible else None))
        if gone:
            await db.batch(gone)
        start = page.next
        if start is None or len(found) == limit:
            return found, start


async def keep(db: Database, member_id: str, shared: Shareable, held: Held) -> None:
    """Save the list with what the person holds, which decides later whether they may view it."""
    made = await is_maker(db, member_id, shared.short_id)
    access_to(shared, Held(held.role, held.version, made), SEE)
    role = held.role_of(shared)
    new = KeptList(
        member_id=member_id,
        short_id=shared.short_id,
        made=made,
        role=role,
        passcode=held.version if role else None,
    )
    await db.put(new)


async def drop(db: Database, member_id: str, short_id: str) -> None:
    """Take the list off the person's lists; its maker stays its maker."""
    old = await db.get(KeptList.key(member_id=member_id, short_id=short_id))
    if old is None or not old.listed:
        raise NotFound
    await db.write(old.changed(listed=False).put() if old.made else old.delete())


async def forget_person(db: Database, member_id: str) -> None:
    await db.clear(kept_lists(member_id))
