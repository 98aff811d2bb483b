"""A sample record, Lamp, for the tests of transactions."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from homeshelf.coordination.changes import changes_since
from homeshelf.coordination.idempotency import StoredResponse, stored_response
from homeshelf.coordination.transaction import (
    Transaction,
    missing,
    transaction,
)
from homeshelf.table import HELPER, Check, Database, Key, Keys, Versioned, Write, exists

LONG_AGO = "2020-01-01T00:00:00.000Z"


class Lamp(Versioned):
    table = HELPER
    keys = Keys(PK="HOUSE#{house}", SK="LAMP#{lampId}")
    notify: ClassVar[tuple[str, str] | None] = ("house", "lamp_id")

    house: str
    lamp_id: str
    watts: int = 0
    colour: str = "white"
    entity_type: Literal["Lamp"] = "Lamp"


class Shade(Lamp):
    """A lamp that announces no changes and has partial updates."""

    keys = Keys(PK="HOUSE#{house}", SK="SHADE#{lampId}")
    partial_update = True
    notify = None


HALL = Lamp(house="h1", lamp_id="hall", created_at=LONG_AGO, updated_at=LONG_AGO)
KEY = HALL.own_key()
OTHER = HALL.changed(lamp_id="other")


@transaction
async def add(tx: Transaction, new: Lamp) -> Lamp:
    tx.add(new)
    return new


@transaction
async def brighten(tx: Transaction, key: Key[Lamp], version: int | None = None) -> Lamp:
    lamp = await tx.get(key, version)
    brighter = lamp.new_version(watts=lamp.watts + 1)
    tx.replace(lamp, brighter)
    return brighter


@transaction
async def brighten_with_other(tx: Transaction, key: Key[Lamp]) -> Lamp:
    tx.write(Check(OTHER.own_key(), exists).with_refusal(missing("There is no other.")))
    return await brighten(tx, key)


@transaction
async def leave_unchanged(tx: Transaction, key: Key[Lamp]) -> Lamp:
    lamp = await tx.get(key)
    tx.replace(lamp, lamp.new_version(watts=lamp.watts))
    return lamp


@transaction
async def remove(tx: Transaction, key: Key[Lamp]) -> Lamp:
    lamp = await tx.get(key)
    tx.remove(lamp)
    return lamp


def with_stored_response(db: Database) -> Database:
    """Return the database for a request whose answer is stored."""

    def store_response(lamp: Lamp) -> Sequence[Write]:
        return [stored_response("m1", "PATCH", "/lamps", "k", b"", 200, str(lamp.watts)).put_once()]

    return db.with_extra_writes(store_response)


async def stored_answers(db: Database) -> list[str]:
    return [stored.body for stored in await db.all(StoredResponse.where(caller="m1"))]


async def announcements(db: Database) -> list[tuple[str, str, int | None]]:
    return [(it.type, it.id, it.version) for it in await changes_since(db, "h1", None)]
