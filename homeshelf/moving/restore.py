"""Replace the database by a backup, and keep the old files."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from homeshelf import clock
from homeshelf.coordination.signing_keys import Secret, exchange_key
from homeshelf.moving.files import hold_new_file
from homeshelf.private_files import make_private_folder, sync_file, unused_ending
from homeshelf.table import CannotOpen, Record
from homeshelf.table.sqlite.copies import (
    Progress,
    copy_into,
    exclusive_access,
    explain_full_disk,
    has_checksums,
    open_copy,
    read_contents,
    replace_file,
    require_unchanged,
    require_whole,
)
from homeshelf.table.sqlite.file import (
    connect,
    create_layout,
    files_of,
    forget_checksums,
    quoted,
    upgrade_layout,
)
from homeshelf.table.sqlite.items import item_at


@dataclass(frozen=True)
class RestoreResult:
    records: int
    kept: tuple[Path, ...]
    had_checksums: bool


def restore(
    backup: Path,
    database: Path,
    key_file: Path | None,
    progress: Progress,
    *,
    over: bool,
    without: Sequence[type[Record]] = (),
) -> RestoreResult:
    """Restore all records but those of some kinds; an error leaves everything unchanged."""
    database = database.resolve()  # companion files lie beside the link's target
    made = database.with_name(f".{database.name}.restoring")
    with open_copy(backup) as copy:
        require_unchanged(copy, backup)
        key = _read_key(copy) if key_file else None
        had_checksums = has_checksums(copy)
        if not over:
            _require_no_files(database, key, key_file)
        is_there = database.exists()
        make_private_folder(database.parent)
        with exclusive_access(database):
            pass  # fails before the work, not after it
        with hold_new_file(made, f"Another backup is being restored in {database.parent}."):
            with explain_full_disk(made):
                copy_into(made, copy, progress)
                records = _prepare_file(made, [*without, *([] if key else [Secret])])
            ending = unused_ending(database, f".before-{clock.now():%Y%m%d-%H%M%S}")
            with exclusive_access(database):
                kept = replace_file(made, database, ending, is_there=is_there)
            if key and key_file:
                kept += _move_key_to_file(database, key, key_file)
    return RestoreResult(records, tuple(kept), had_checksums)


def _require_no_files(database: Path, key: str | None, key_file: Path | None) -> None:
    there = [file for file in files_of(database) if file.exists()]
    if key_file and key and key_file.exists() and key_file.read_bytes() != key.encode():
        there.append(key_file)
    if there:
        raise CannotOpen(
            f"{there[0]} exists already; --over puts the backup in its place, and keeps it "
            "under another name."
        )


def _prepare_file(made: Path, without: Sequence[type[Record]]) -> int:
    """Update the layout and return the number of records; the signing key stays for now."""
    with closing(connect(made)) as connection:
        with connection:
            for kind in without:
                _delete_kind(connection, kind)
        upgrade_layout(connection)
        forget_checksums(connection)
        create_layout(connection)
        require_whole(connection, made)
        records = sum(count for count, _ in read_contents(connection).values())
    sync_file(made)
    return records


def _read_key(copy: apsw.Connection) -> str | None:
    key = Secret.key()
    item = item_at(copy, key.table, key.partition, key.sort, clock.seconds())
    return None if item is None else Secret.load(item).secret


def _move_key_to_file(database: Path, key: str, key_file: Path) -> list[Path]:
    """Move the key to its file; after an interruption, the next start does so."""
    kept = exchange_key(key_file, key)
    with closing(connect(database)) as connection, connection:
        _delete_kind(connection, Secret)
    return [kept] if kept else []


def _delete_kind(connection: apsw.Connection, kind: type[Record]) -> None:
    table = kind.table
    names = (table.partition, table.sort)
    beginnings = [kind.keys[name].partition("{")[0] for name in names]
    where = " AND ".join(f"substr({quoted(name)}, 1, ?) = ?" for name in names)
    bindings = [part for text in beginnings for part in (len(text), text)]
    connection.execute(f"DELETE FROM {quoted(table.name)} WHERE {where}", bindings)  # noqa: S608  # our names
