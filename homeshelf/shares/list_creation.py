"""Create, clone and change lists, with their limits and passcodes; `access.py` has allowed it."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from fastapi import Request

from homeshelf import clock
from homeshelf.access import member_id_of_caller
from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import Unauthenticated, VersionConflict
from homeshelf.shares import store
from homeshelf.shares.access import MANAGE, NO_GRANT, Grant, is_allowed, maker_grant
from homeshelf.shares.kind import kind_of
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import (
    BUCKETS,
    DEFAULT_DAYS,
    KeptList,
    ListContent,
    NewChild,
    Passcodes,
    PoolSlot,
    Role,
    Shareable,
)
from homeshelf.shares.passcodes import hash_changed_passcodes, hash_new_passcodes
from homeshelf.shares.pool import FreeId, find_free_id
from homeshelf.table import (
    ConditionFailed,
    Database,
    Item,
    Remove,
    TransactionCancelled,
    Unavailable,
    Write,
    absent,
)
from homeshelf.table.database import ExtraWrites
from homeshelf.web.limits import address_of
from homeshelf.web.services import Services

RECORD_BYTES = 100
UNFINISHED_AFTER = timedelta(seconds=60)


@dataclass(frozen=True)
class Caller:
    address: str
    member_id: str | None = None


async def caller_of(request: Request) -> Caller:
    return Caller(address_of(request), await member_id_of_caller(request))


def require_maker(services: Services, caller: Caller) -> None:
    if services.settings.shares == "members" and caller.member_id is None:
        raise Unauthenticated


async def make_list(
    services: Services, caller: Caller, content: ListContent, given: Passcodes
) -> store.ListWithItems:
    require_maker(services, caller)
    return await _make_counted(services, caller, content, given)


async def clone_list(
    services: Services,
    caller: Caller,
    shared: Shareable,
    given: Passcodes,
    name: str | None,
    days: int | None,
) -> store.ListWithItems:
    source = await store.load_list(services.db, shared)
    return await _make_counted(services, caller, clone_of(source, name, days), given)


async def change_list(
    services: Services,
    address: str | None,
    shared: Shareable,
    wanted: store.ListChange,
    given: Mapping[Role, str | None],
) -> store.ListWithItems:
    """Change a list; `given` are passcodes as typed, None removes one."""
    if given:
        if shared.version != wanted.version:
            raise VersionConflict(shared)  # before the slow hashing
        hashes = await hash_changed_passcodes(services, address, shared, given)
        passcodes = {f"{role}_passcode": hashed for role, hashed in hashes.items()}
        wanted = replace(wanted, fields=wanted.fields | passcodes)
    return await store.update_list(services.db, shared.own_key(), wanted)


def grant_after_change(shared: Shareable, grant: Grant) -> Grant:
    """Return a new grant for a caller whose own change of passcodes has locked them out."""
    return NO_GRANT if is_allowed(shared, grant, MANAGE) else maker_grant(shared)


async def create(
    db: Database, content: ListContent, passcodes: Passcodes, maker: str | None = None
) -> store.ListWithItems:
    """Create a list with its items, hidden until all are written; `maker` is a memberId."""
    new, cleanup, extra = await _put_list(db, content, passcodes, maker, db.take_extra_writes())
    if cleanup is not None:
        await db.batch([item.put() for item in new.items])
        shown = Shareable.update(new.shared.own_key(), Remove("hidden"), when=store.is_hidden)
        await db.transact(*extra, shown.with_refusal(_refuse_late_list), cleanup.delete())
    return new


async def _put_list(
    db: Database,
    content: ListContent,
    passcodes: Passcodes,
    maker: str | None,
    extra_writes: ExtraWrites,
) -> tuple[store.ListWithItems, Todo | None, list[Write]]:
    """Put a list under a free id; return its clean-up to-do and the writes that show it."""
    bucket = secrets.randbelow(BUCKETS)
    async with db.turn(PoolSlot.key(bucket=bucket, slot=0)) as turn:
        while True:
            free = await find_free_id(db, bucket)
            new = _new_list(free, content, passcodes)
            cleanup = None
            if new.items:
                about = {"shortId": free.short_id}
                cleanup = todo(store.UNFINISHED_KIND, about, clock.now() + UNFINISHED_AFTER)
            hidden = new.shared.changed(hidden=True if cleanup else None)
            extra = [*extra_writes(new), *_saved_list_writes(new.shared, maker)]
            put = hidden.put(absent).with_refusal(partial(_delete_used_slot, db, free))
            try:
                await db.transact(*free.writes, put, *([cleanup.put()] if cleanup else extra))
            except TransactionCancelled:
                await turn.pause()
                bucket = secrets.randbelow(BUCKETS)
            else:
                return new, cleanup, extra


def clone_of(
    source: store.ListWithItems, name: str | None = None, days: int | None = None
) -> ListContent:
    return ListContent(
        name=name or source.shared.name,
        note=source.shared.note,
        items=kind_of(source.shared.entity).copy_children(source.items),
        entity=source.shared.entity,
        days=DEFAULT_DAYS if days is None else days,
    )


async def _make_counted(
    services: Services, caller: Caller, content: ListContent, given: Passcodes
) -> store.ListWithItems:
    limits = services.limits.of(ShareLimits)
    limits.lists.take(caller.address)
    parts: list[ListContent | NewChild] = [content, *content.items]
    texts = (text for part in parts for text in (part.name, part.note))
    size = sum(len(text.encode()) for text in texts if text) + RECORD_BYTES * len(content.items)
    limits.take_text(caller.address, size)
    passcodes = await hash_new_passcodes(services, caller.address, given)
    return await create(services.db, content, passcodes, caller.member_id)


async def _delete_used_slot(db: Database, free: FreeId, existing: Item | None) -> None:
    """Delete a row of the pool whose id is already used by a list of another program."""
    if existing is not None and free.row is not None:
        with suppress(ConditionFailed):
            await db.write(free.row)


async def _refuse_late_list(_deleted: Item | None) -> None:
    """Refuse to show a list that took so long that the clean-up has deleted it."""
    raise Unavailable("the list was not finished in time")


def _new_list(free: FreeId, content: ListContent, passcodes: Passcodes) -> store.ListWithItems:
    now, kind = clock.now(), kind_of(content.entity)
    shared = Shareable(
        entity=content.entity or kind.entity,
        short_id=free.short_id,
        name=content.name,
        note=content.note or None,
        view_passcode=passcodes.view,
        admin_passcode=passcodes.admin,
        expires_at=clock.timestamp(now),
    ).with_lifetime(content.days, now)
    return store.ListWithItems(shared, tuple(kind.new_children(shared, content.items)))


def _saved_list_writes(shared: Shareable, maker: str | None) -> list[Write]:
    if maker is None:
        return []
    saved = KeptList(
        member_id=maker,
        short_id=shared.short_id,
        made=True,
        role=shared.manager_role,
        passcode=maker_grant(shared).version,
    )
    return [saved.put()]
