"""Import one family or one person from an exported file; the import can be resumed."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid5

import msgspec
from pydantic import ValidationError

from homeshelf import clock
from homeshelf.coordination.belongings import Arrival, Belonging, Owner
from homeshelf.moving.export import ENTITY, FORMAT, belongings_of
from homeshelf.moving.progress_marks import ImportMark
from homeshelf.signing import digest
from homeshelf.table import BadRequest, Database, Item, Key, Record, TransactionCancelled, absent
from homeshelf.table.limits import KEYS, check_item, check_key
from homeshelf.table.sqlite.copies import Progress, no_progress
from homeshelf.web.ids import is_id
from homeshelf.web.services import Slice

BATCH_SIZE = 10
"""The records of a transaction, which holds this many of the largest ones."""
CONCURRENCY = 8
ID_FIELDS = ("member_id", "family_id", "invitation_id")
OWNER_IDS: Mapping[Owner, tuple[str, ...]] = {
    "family": ("family_id",),
    "person": ("member_id", "user_id"),
}

VALID_YEARS = range(1900, 9000)
MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_DIGITS = 150
LOST_RACE = "Another program has just added some of its records: try again."


def _parse_number(text: str) -> Decimal:
    """Refuse numbers such as 1e999999, which exhaust memory when written out."""
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > MAX_DIGITS:
        raise ValueError("a number that cannot be stored")
    return number


_decode = msgspec.json.Decoder(dict[str, Any], float_hook=_parse_number).decode


class BadFile(Exception):
    """The file cannot be imported; the text is a full sentence."""


@dataclass(frozen=True)
class Export:
    owner: Owner
    owner_id: str
    digest: str
    records: Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Plan:
    mark: ImportMark
    records: Sequence[Record]
    head: Record
    """The family or account, written last because it makes the rest usable."""
    resumed: bool


def read_file(text: bytes, slices: Sequence[Slice]) -> Export:
    if len(text) > MAX_FILE_BYTES:
        raise BadFile("The file is too large to import.")
    try:
        found = _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadFile("The file is not a complete export of Homeshelf.") from None
    owner, owner_id, records = found.get("homeshelf"), found.get("id"), found.get("records")
    if owner not in ("family", "person") or not isinstance(records, dict):
        raise BadFile("The file is not an export of Homeshelf.")
    if found.get("format") != FORMAT:
        raise BadFile("The file was written by a newer Homeshelf; install that version.")
    if not isinstance(owner_id, str) or not is_id(owner_id) or owner_id != owner_id.lower():
        raise BadFile("The file does not name its family or person.")
    known = {belonging.kind.__name__ for belonging in belongings_of(slices, owner)}
    if unknown := records.keys() - known:
        names = ", ".join(sorted(unknown))
        raise BadFile(f"The file has records of unknown kinds: {names}.")
    for name, each in records.items():
        if not isinstance(each, list) or not all(isinstance(one, dict) for one in each):
            raise BadFile(f"The file has {name} entries that are not records.")
    return Export(owner, owner_id, digest(text.decode()), records)


async def plan_import(
    db: Database, slices: Sequence[Slice], file: Export, head: type[Record], here: Mapping[str, str]
) -> Plan:
    """Plan the import; `here` maps ids of people with an account to their addresses."""
    mark = await db.get(ImportMark.key(owner_id=file.owner_id))
    resumed = mark is not None
    if mark is None:
        await _require_new_owner(db, slices, file)
        mark = ImportMark(
            owner_id=file.owner_id,
            file=file.digest,
            salt=secrets.token_hex(16),
            at=clock.timestamp(),
            people={each: str(uuid5(UUID(file.owner_id), each)) for each in here},
            addresses=dict(here),
        )
    elif mark.file != file.digest:
        raise BadFile(
            "Another file of the same owner is half imported: import that one again first."
        )
    try:
        records = await _load_records(db, slices, file, mark)
    except RecursionError:
        raise _broken_file("something in it is nested too deeply") from None
    except (ValidationError, ValueError, BadRequest) as wrong:
        raise _broken_file(_describe_error(wrong)) from None
    heads = [each for each in records if isinstance(each, head)]
    if len(heads) != 1:
        raise _broken_file("it is not of one family or person")
    first = heads[0]
    return Plan(mark, [each for each in records if each is not first], first, resumed)


async def run_import(db: Database, plan: Plan, progress: Progress = no_progress) -> None:
    await _require_free_keys(db, plan)
    if not plan.resumed:
        await db.put(plan.mark, when=absent)
    records = plan.records
    chunks = [records[first : first + BATCH_SIZE] for first in range(0, len(records), BATCH_SIZE)]
    for first in range(0, len(chunks), CONCURRENCY):
        some = chunks[first : first + CONCURRENCY]
        await asyncio.gather(*(_write(db, chunk, resumed=plan.resumed) for chunk in some))
        progress(min((first + CONCURRENCY) * BATCH_SIZE, len(records)), len(records))
    try:
        await db.transact(plan.head.put(absent), plan.mark.delete())
    except TransactionCancelled:
        raise BadFile(LOST_RACE) from None


async def _require_free_keys(db: Database, plan: Plan) -> None:
    keys = [each.own_key() for each in (*plan.records, plan.head)]
    if len(set(keys)) < len(keys):
        raise _broken_file("the same record comes twice")
    if plan.resumed:
        return
    for first in range(0, len(keys), KEYS):
        if any(await db.engine.get_many(keys[first : first + KEYS])):
            raise _broken_file("another record is here already in the place of one of its own")


async def _write(db: Database, records: Sequence[Record], *, resumed: bool) -> None:
    """Write absent records; when resuming, the others must be from this file."""
    left = list(records)
    if resumed:
        found = await db.engine.get_many([each.own_key() for each in records])
        pairs = list(zip(records, found, strict=True))
        if any(item is not None and item != stored_item(each) for each, item in pairs):
            raise BadFile("Imported records have changed since: the import cannot go on.")
        left = [each for each, item in pairs if item is None]
    try:
        await db.transact(*(each.put(absent) for each in left))
    except TransactionCancelled:
        raise BadFile(LOST_RACE) from None


def stored_item(record: Record) -> Item:
    check_key(record.own_key())
    return check_item(record.table, record.item())


async def _require_new_owner(db: Database, slices: Sequence[Slice], file: Export) -> None:
    for belonging in belongings_of(slices, file.owner):
        if await belonging.find(db, file.owner_id):
            what = "family" if file.owner == "family" else "person"
            raise BadFile(f"This {what} is here already and was not changed.")
    if file.owner == "family":
        for each in slices:
            for query in each.goes_with_family:
                if await db.count(query(family_id=file.owner_id).up_to_date(), 1):
                    raise BadFile("This family is still being deleted here: try again in a minute.")


async def _load_records(
    db: Database, slices: Sequence[Slice], file: Export, mark: ImportMark
) -> list[Record]:
    coming: dict[type[Record], list[Record]] = {}
    for belonging in belongings_of(slices, file.owner):
        given = file.records.get(belonging.kind.__name__, [])
        coming[belonging.kind] = [_load_record(belonging, file, mark, each) for each in given]
    for kind, loaded in coming.items():
        if len({each.own_key() for each in loaded}) < len(loaded):
            raise ValueError(f"{kind.__name__} has the same record twice")
    arrival = Arrival(file.owner, file.owner_id, coming, mark.salt, mark.at)
    records: dict[Key[Any], Record] = {}
    for each in slices:
        if each.moves_in is not None:
            found = await each.moves_in(db, arrival)
        else:
            kinds = [of.kind for of in each.belongings if of.owner == file.owner]
            found = [record for kind in kinds for record in coming[kind]]
        for record in found:
            stored_item(record)
            records.setdefault(record.own_key(), record)
    return list(records.values())


def _load_record(
    belonging: Belonging, file: Export, mark: ImportMark, given: dict[str, Any]
) -> Record:
    kind, name = belonging.kind, belonging.kind.__name__
    stays = (*belonging.without, ENTITY)
    known = {alias for field, alias in kind.aliases.items() if field not in stays}
    if unknown := given.keys() - known:
        raise ValueError(f"{name} has no {', '.join(sorted(unknown))}")
    values = _replace_ids(given, mark.people)
    if "email" in values and values.get("memberId") in mark.people.values():
        values["email"] = "" if kind.model_fields["email"].annotation is str else None
    record = kind.model_validate(values | dict(belonging.without))
    for field in kind.aliases:
        is_time = field not in belonging.no_times and (field == "at" or field.endswith("_at"))
        if not _is_valid_value(field, getattr(record, field), is_time=is_time):
            raise ValueError(f"{name} has a {kind.aliases[field]} that cannot be")
    owners = OWNER_IDS[file.owner]
    if any(getattr(record, field, file.owner_id) != file.owner_id for field in owners):
        raise ValueError(f"{name} has a record of somebody else")
    return record


def _replace_ids(value: Any, people: Mapping[str, str]) -> Any:
    match value:
        case str():
            return people.get(value, value)
        case list():
            return [_replace_ids(each, people) for each in value]
        case dict():
            return {name: _replace_ids(each, people) for name, each in value.items()}
    return value


def _is_valid_value(field: str, value: Any, *, is_time: bool) -> bool:
    """Check that an id or time has the format that other code relies on."""
    if value is not None and field in ID_FIELDS:
        return isinstance(value, str) and is_id(value) and value == value.lower()
    if is_time and isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return moment.tzinfo is not None and moment.year in VALID_YEARS
    return True


def _broken_file(why: str) -> BadFile:
    return BadFile(f"The file is broken, and nothing was changed: {why}.")


def _describe_error(wrong: Exception) -> str:
    if not isinstance(wrong, ValidationError):
        return str(wrong)
    found = wrong.errors(include_url=False, include_context=False, include_input=False)
    fields = ", ".join(sorted({f"{each['loc'][0]} ({each['type']})" for each in found}))
    return f"{wrong.title} has {fields}"
