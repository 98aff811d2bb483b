"""`homeshelf restore`: a backup becomes the database, and what was there is kept beside it."""

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from homeshelf import clock
from homeshelf.private_files import keep_private, make_private_file, make_private_folder
from homeshelf.table import CannotOpen, Record
from homeshelf.table.sqlite.copies import (
    Progress,
    alone_with,
    contents_of,
    copy_into,
    opened_copy,
    replace_file,
    require_whole,
    sync_file,
    sync_folder,
)
from homeshelf.table.sqlite.file import connect, create_layout, files_of, lay_out, quoted
from homeshelf.table.sqlite.items import item_at
from homeshelf.web.services import Secret


@dataclass(frozen=True)
class Restored:
    records: int
    kept: tuple[Path, ...]
    """What was there before."""


def restore(
    backup: Path,
    database: Path,
    key_file: Path | None,
    progress: Progress,
    *,
    over: bool,
    without: Sequence[type[Record]] = (),
) -> Restored:
    """All but the records of some kinds. Nothing has changed where it raises."""
    made = database.with_name(f".{database.name}.restoring")
    with opened_copy(backup) as copy:
        there = [file for file in files_of(database) if file.exists()]
        if there and not over:
            raise CannotOpen(
                f"{there[0]} is there already; --over puts the backup in its place, and keeps it "
                "under another name."
            )
        make_private_folder(database.parent)
        with alone_with(database):
            pass  # said before the work is done, not after it
        _clear(made)
        make_private_file(made)
        try:
            copy_into(made, copy, progress)
            records, key = _prepare(made, without)
            with alone_with(database):
                kept = _put_in_place(made, database, key, key_file)
        finally:
            _clear(made)
    return Restored(records, kept)


def _prepare(made: Path, without: Sequence[type[Record]]) -> tuple[int, str | None]:
    """The file as it is to be: how many records it has, and the signing key that was in it."""
    with closing(connect(made)) as connection:
        with connection:
            key = _take_key(connection)
            for kind in without:
                _remove(connection, kind)
        lay_out(connection)
        create_layout(connection)
        require_whole(connection, made)
        records = sum(count for count, _ in contents_of(connection).values())
    sync_file(made)
    return records, key


def _put_in_place(
    made: Path, database: Path, key: str | None, key_file: Path | None
) -> tuple[Path, ...]:
    kept_as = f".before-{clock.now():%Y%m%d-%H%M%S}"
    keys = _keep_key(key, key_file, kept_as) if key and key_file else []
    return (*replace_file(made, database, kept_as), *keys)


def _take_key(connection: apsw.Connection) -> str | None:
    key = Secret.key()
    item = item_at(connection, key.table, key.partition, key.sort, clock.seconds())
    _remove(connection, Secret)
    return None if item is None else Secret.load(item).secret


def _remove(connection: apsw.Connection, kind: type[Record]) -> None:
    """All records of a kind, by how its keys begin."""
    table = kind.table
    names = (table.partition, table.sort)
    beginnings = [kind.keys[name].partition("{")[0] for name in names]
    where = " AND ".join(f"substr({quoted(name)}, 1, ?) = ?" for name in names)
    bindings = [part for text in beginnings for part in (len(text), text)]
    connection.execute(f"DELETE FROM {quoted(table.name)} WHERE {where}", bindings)  # noqa: S608  # our names


def _keep_key(key: str, file: Path, kept_as: str) -> list[Path]:
    """Put the key in its place; one that differs is kept as well."""
    if file.exists() and file.read_text() == key:
        return []
    kept = file.with_name(f"{file.name}{kept_as}")
    if there := file.exists():
        keep_private(file)
        kept.hardlink_to(file)
    made = file.with_name(f".{file.name}.restoring")
    made.unlink(missing_ok=True)
    make_private_file(made)
    made.write_text(key)
    sync_file(made)
    made.replace(file)
    sync_folder(file.parent)
    return [kept] if there else []


def _clear(made: Path) -> None:
    for file in files_of(made):
        with suppress(FileNotFoundError):
            file.unlink()
