"""Export one family or one person as JSON."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from homeshelf import __version__, clock
from homeshelf.coordination.belongings import Belonging, Owner
from homeshelf.table import CannotOpen, Database, Record
from homeshelf.table.sqlite.copies import Progress, no_progress
from homeshelf.web.services import Slice

FORMAT = 1
MAX_READS = 5
ENTITY = "entity_type"
Records = dict[str, list[dict[str, Any]]]
_encode = msgspec.json.Encoder(decimal_format="number").encode


async def export_records(
    db: Database,
    slices: Sequence[Slice],
    owner: Owner,
    owner_id: str,
    progress: Progress = no_progress,
) -> tuple[bytes, int]:
    """Return the file and its number of records; read until two readings agree."""
    kinds = belongings_of(slices, owner)
    records = await _read(db, kinds, owner_id, lambda done: progress(done, 2 * len(kinds)))
    for _ in range(MAX_READS):
        before = records
        records = await _read(
            db, kinds, owner_id, lambda done: progress(len(kinds) + done, 2 * len(kinds))
        )
        if records == before:
            break
    else:
        raise CannotOpen("The data changes while it is exported; try again at a quieter moment.")
    file = {
        "homeshelf": owner,
        "format": FORMAT,
        "version": __version__,
        "exportedAt": clock.timestamp(),
        "id": owner_id,
        "records": records,
    }
    return msgspec.json.format(_encode(file), indent=1) + b"\n", sum(map(len, records.values()))


async def _read(
    db: Database, kinds: Sequence[Belonging], owner_id: str, progress: Callable[[int], None]
) -> Records:
    records: Records = {}
    for number, belonging in enumerate(kinds):
        found = await belonging.find(db, owner_id)
        records[belonging.kind.__name__] = [stored_attributes(belonging, each) for each in found]
        progress(number + 1)
    return records


def belongings_of(slices: Sequence[Slice], owner: Owner) -> list[Belonging]:
    return [of for each in slices for of in each.belongings if of.owner == owner]


def stored_attributes(belonging: Belonging, record: Record) -> dict[str, Any]:
    """Return a record's attributes by stored name, without keys, secrets and nulls."""
    fields = type(record).model_fields
    return {
        alias: value
        for name, alias in record.aliases.items()
        if name not in belonging.without and name != ENTITY
        if (value := getattr(record, name)) is not None or fields[name].is_required()
    }
