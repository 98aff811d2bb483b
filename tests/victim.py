"""A family and a reader who have one of everything, marked so that any leak is noticed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Union, get_args, get_origin

from homeshelf import clock
from homeshelf.families.model import Family, Member
from homeshelf.table import BOOKS, INVENTORY, Database, Record
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Query
from tests.home import Home, new_home
from tests.records import make_record
from tests.routes import some_id
from tests.running import Person, RunningApp

MARK = "zqxj"
"""It is in every text of theirs and in nobody else's."""

NEVER = "2999-01-01T00:00:00.000Z"
NEVER_SECONDS = 32_472_144_000


@dataclass(frozen=True)
class Victim:
    home: Home
    suggester: Person
    removed: Person
    removed_too: Person
    """Founds families and the like afterwards, which would blur what the other one sees."""
    ids: dict[str, str] = field(default_factory=dict)
    """One id of theirs for each name that ids have."""

    async def everything(self) -> list[Item]:
        """All that they have."""
        db = self.home.running.db
        family = Family.key(family_id=self.home.family_id).partition
        return [
            item
            for table, partition in (
                (INVENTORY, family),
                (BOOKS, f"USER#{self.home.admin.member_id}"),
            )
            for item in await db.all(Query(table, partition, dict, consistent=True))
        ]


async def move_in(running: RunningApp) -> Victim:
    home = await new_home(running, f"The {MARK}s", f"{MARK}-admin")
    suggester = await home.with_member("suggester", "suggester")
    removed = await home.with_member("removed", "admin")
    removed_too = await home.with_member("removed-too", "admin")
    for person in (removed, removed_too):
        await home.send_away(person)
    victim = Victim(home, suggester, removed, removed_too)
    victim.ids.update(
        familyId=home.family_id,
        memberId=home.admin.member_id,
        userId=home.admin.member_id,
        sessionId=home.admin.session_id,
    )
    await _furnish(running.db, victim)
    return victim


async def _furnish(db: Database, victim: Victim) -> None:
    records = [_owned(model, victim.ids) for model in _models(Record)]
    assert len(records) > 10
    await db.batch([record.put() for record in records])


def _models(parent: type[Record]) -> Iterator[type[Record]]:
    """Every kind of record that a family or a reader has."""
    for model in parent.__subclasses__():
        yield from _models(model)
        if not hasattr(model, "keys") or model in (Family, Member):
            continue
        if model.table in (INVENTORY, BOOKS) and model.__module__.startswith("homeshelf."):
            yield model


def _owned(model: type[Record], ids: dict[str, str]) -> Record:
    return make_record(
        model,
        **{
            name: _value(model, name, ids)
            for name, of in model.model_fields.items()
            if _is_text(of.annotation) or name == "ttl"
        },
    )


def _is_text(annotation: Any) -> bool:
    if get_origin(annotation) in (UnionType, Union):
        return str in get_args(annotation)
    return annotation is str


def _value(model: type[Record], name: str, ids: dict[str, str]) -> Any:
    alias = model.aliases[name]
    if name == "ttl":
        return NEVER_SECONDS
    if name == "id":
        alias = f"{model.__name__.lower()}Id"
    if alias == "preferredStoreId":
        alias = "storeId"
    if alias.endswith("Id"):
        return ids.setdefault(alias, some_id(alias))
    if name.endswith("_by"):
        return ids["memberId"]
    if name.endswith(("_at", "_until")):
        return NEVER if name == "expires_at" else clock.timestamp()
    return f"{MARK} {name}"
