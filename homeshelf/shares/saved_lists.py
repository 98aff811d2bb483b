"""Read and change the lists that a signed-in person created or saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homeshelf.errors import NotFound
from homeshelf.shares.access import VIEW, Grant, is_allowed, require_access
from homeshelf.shares.model import KeptList, Shareable
from homeshelf.table import Database, Query, attr
from homeshelf.table.operations import KeyValue


@dataclass(frozen=True)
class MyList:
    shared: Shareable
    name: str | None


def kept_lists(member_id: str) -> Query[KeptList]:
    """Lists that a person created or saved."""
    return KeptList.where(member_id=member_id).up_to_date()


async def is_maker(db: Database, member_id: str, short_id: str) -> bool:
    kept = await db.get(KeptList.key(member_id=member_id, short_id=short_id))
    return kept is not None and kept.made


async def my_lists(
    db: Database, member_id: str, limit: int, start: Mapping[str, KeyValue] | None = None
) -> tuple[Sequence[MyList], Mapping[str, KeyValue] | None]:
    """Return a page of a person's lists, and remove those that were deleted or purged."""
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
                visible = is_allowed(shared, Grant(kept.role, kept.passcode, kept.made), VIEW)
                found.append(MyList(shared, shared.name if visible else None))
        if gone:
            await db.batch(gone)
        start = page.next
        if start is None or len(found) == limit:
            return found, start


async def save_list(db: Database, member_id: str, shared: Shareable, grant: Grant) -> None:
    """Save the list with the person's grant, which decides later whether they may view it."""
    made = await is_maker(db, member_id, shared.short_id)
    require_access(shared, Grant(grant.role, grant.version, made), VIEW)
    role = grant.valid_role(shared)
    new = KeptList(
        member_id=member_id,
        short_id=shared.short_id,
        made=made,
        role=role,
        passcode=grant.version if role else None,
    )
    await db.put(new)


async def remove_list(db: Database, member_id: str, short_id: str) -> None:
    old = await db.get(KeptList.key(member_id=member_id, short_id=short_id))
    if old is None or not old.listed:
        raise NotFound
    await db.write(old.changed(listed=False).put() if old.made else old.delete())


async def forget_person(db: Database, member_id: str) -> None:
    await db.clear(kept_lists(member_id))
