"""Replace the database by a backup, keeping the old files beside it."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from homeshelf import clock
from homeshelf.coordination.signing_keys import Secret, exchange_key
from homeshelf.moving.files import made_aside
from homeshelf.private_files import make_private_folder, sync_file, unused_ending
from homeshelf.table import CannotOpen, Record
from homeshelf.table.sqlite.copies import (
    Progress,
    alone_with,
    contents_of,
    copy_into,
    has_checksums,
    opened_copy,
    replace_file,
    require_unchanged,
    require_whole,
    room_for,
)
from homeshelf.table.sqlite.file import (
    connect,
    create_layout,
    files_of,
    forget_checksums,
    lay_out,
    quoted,
)
from homeshelf.table.sqlite.items import item_at


@dataclass(frozen=True)
class Restored:
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
) -> Restored:
    """Restore all records but those of some kinds. Nothing has changed if it raises."""
    database = database.resolve()  # what lies beside a file is beside what a link points to
    made = database.with_name(f".{database.name}.restoring")
    with opened_copy(backup) as copy:
        require_unchanged(copy, backup)
        key = _key_in(copy) if key_file else None
        had_checksums = has_checksums(copy)
        if not over:
            _require_room(database, key, key_file)
        is_there = database.exists()
        make_private_folder(database.parent)
        with alone_with(database):
            pass  # said before the work is done, not after it
        with made_aside(made, f"Another backup is being restored in {database.parent}."):
            with room_for(made):
                copy_into(made, copy, progress)
                records = _prepare(made, [*without, *([] if key else [Secret])])
            ending = unused_ending(database, f".before-{clock.now():%Y%m%d-%H%M%S}")
            with alone_with(database):
                kept = replace_file(made, database, ending, is_there=is_there)
            if key and key_file:
                kept += _take_out(database, key, key_file)
    return Restored(records, tuple(kept), had_checksums)


def _require_room(database: Path, key: str | None, key_file: Path | None) -> None:
    there = [file for file in files_of(database) if file.exists()]
    if key_file and key and key_file.exists() and key_file.read_bytes() != key.encode():
        there.append(key_file)
    if there:
        raise CannotOpen(
            f"{there[0]} exists already; --over puts the backup in its place, and keeps it "
            "under another name."
        )


def _prepare(made: Path, without: Sequence[type[Record]]) -> int:
    """Bring the file to the current layout, and return its number of records. The signing key stays
    in it until the key file is replaced, so that both are exchanged in one step."""
    with closing(connect(made)) as connection:
        with connection:
            for kind in without:
                _remove(connection, kind)
        lay_out(connection)
        forget_checksums(connection)
        create_layout(connection)
        require_whole(connection, made)
        records = sum(count for count, _ in contents_of(connection).values())
    sync_file(made)
    return records


def _key_in(copy: apsw.Connection) -> str | None:
    key = Secret.key()
    item = item_at(copy, key.table, key.partition, key.sort, clock.seconds())
    return None if item is None else Secret.load(item).secret


def _take_out(database: Path, key: str, key_file: Path) -> list[Path]:
    """Move the key to its file; after an interruption, the next start does so."""
    kept = exchange_key(key_file, key)
    with closing(connect(database)) as connection, connection:
        _remove(connection, Secret)
    return [kept] if kept else []


def _remove(connection: apsw.Connection, kind: type[Record]) -> None:
    """Delete all records of a kind, by how its keys begin."""
    table = kind.table
    names = (table.partition, table.sort)
    beginnings = [kind.keys[name].partition("{")[0] for name in names]
    where = " AND ".join(f"substr({quoted(name)}, 1, ?) = ?" for name in names)
    bindings = [part for text in beginnings for part in (len(text), text)]
    connection.execute(f"DELETE FROM {quoted(table.name)} WHERE {where}", bindings)  # noqa: S608  # our names
