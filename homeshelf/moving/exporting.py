"""`homeshelf export`: one family, or one person, as JSON."""

from collections.abc import Sequence
from typing import Any

import msgspec

from homeshelf import __version__, clock
from homeshelf.table import Database, Record
from homeshelf.web.belongings import Belonging, Owner
from homeshelf.web.services import Slice

FORMAT = 1
ENTITY = "entity_type"
_encode = msgspec.json.Encoder(decimal_format="number").encode


async def exported(
    db: Database, slices: Sequence[Slice], owner: Owner, owner_id: str
) -> tuple[bytes, int]:
    """The file, and how many records are in it."""
    records: dict[str, list[dict[str, Any]]] = {}
    for belonging in belongings_of(slices, owner):
        found = await belonging.find(db, owner_id)
        records[belonging.kind.__name__] = [attributes(belonging, each) for each in found]
    file = {
        "homeshelf": owner,
        "format": FORMAT,
        "version": __version__,
        "exportedAt": clock.timestamp(),
        "id": owner_id,
        "records": records,
    }
    return msgspec.json.format(_encode(file), indent=1) + b"\n", sum(map(len, records.values()))


def belongings_of(slices: Sequence[Slice], owner: Owner) -> list[Belonging]:
    return [of for each in slices for of in each.belongings if of.owner == owner]


def attributes(belonging: Belonging, record: Record) -> dict[str, Any]:
    """As they are called in the table, without keys and what stays; one without a value is out."""
    fields = type(record).model_fields
    return {
        alias: value
        for name, alias in record.aliases.items()
        if name not in belonging.without and name != ENTITY
        if (value := getattr(record, name)) is not None or fields[name].is_required()
    }
