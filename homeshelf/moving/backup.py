"""Copy the embedded database and its signing key into one file."""

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from homeshelf import clock
from homeshelf.coordination.signing_keys import Secret, read_keys, text_of
from homeshelf.moving.files import is_there, made_aside, name_file
from homeshelf.private_files import make_private_folder, sync_file, sync_folder
from homeshelf.table import CannotOpen
from homeshelf.table.sqlite.copies import (
    Contents,
    Progress,
    contents_of,
    copy_into,
    differs,
    opened_copy,
    opened_while_used,
    put_checksums,
    room_for,
)
from homeshelf.table.sqlite.file import APPLICATION_ID, connect
from homeshelf.table.sqlite.items import STATEMENTS, item_at
from homeshelf.table.sqlite.writing import row_of

OURS = re.compile(r"homeshelf-\d{8}-\d{6}\.db")
PARTIAL = ".partial"
_ID_AT = 68
"""The offset of the application id in a SQLite file."""


@dataclass(frozen=True)
class Backup:
    file: Path
    records: int
    has_key: bool
    removed: tuple[Path, ...] = ()


def back_up(
    database: Path,
    key: Path | None,
    target: Path,
    keep: int | None,
    progress: Progress,
    *,
    into_folder: bool = False,
) -> Backup:
    """Copy into a file, or into a folder of dated files of which `keep` stay."""
    with opened_while_used(database) as used:
        folder, file = _place(target, into_folder=into_folder or keep is not None)
        made = folder / f".{'homeshelf' if OURS.fullmatch(file.name) else file.name}{PARTIAL}"
        with made_aside(made, f"Another backup is being made in {folder}."):
            before, has_key = _copied(used, made, key, progress)
            name_file(made, file)
    sync_folder(folder)
    removed = _remove_older(file, keep) if keep is not None else ()
    return Backup(file, sum(count for count, _ in before.values()), has_key, removed)


def _copied(
    used: apsw.Connection, made: Path, key: Path | None, progress: Progress
) -> tuple[Contents, bool]:
    """Copy, read the copy back, and return its contents and whether it has the signing key."""
    with room_for(made):
        before = copy_into(made, used, progress)
        with closing(connect(made)) as connection:
            has_key = _put_key(connection, key)
            put_checksums(connection)
    sync_file(made)
    with opened_copy(made) as copy:
        if contents_of(copy) != before or differs(copy):
            raise CannotOpen(
                f"The copy in {made.parent} differs from the database; check the disk."
            )
    return before, has_key


def _place(target: Path, *, into_folder: bool) -> tuple[Path, Path]:
    folder, file = target.parent, target
    if into_folder or target.is_dir():
        folder, file = target, target / f"homeshelf-{clock.now():%Y%m%d-%H%M%S}.db"
    if folder.exists() and not folder.is_dir():
        raise CannotOpen(f"{folder} is not a folder.")
    if file.exists():
        raise is_there(file)
    make_private_folder(folder)
    return folder, file


def _put_key(copy: apsw.Connection, key: Path | None) -> bool:
    """Add the key where DynamoDB keeps it. A key already there was restored and is in use."""
    at = Secret.key()
    if item_at(copy, at.table, at.partition, at.sort, 0) is not None:
        return True
    if key is None or not key.exists():
        return False
    item = Secret(secret=text_of(read_keys(key))).item()
    copy.execute(STATEMENTS[Secret.table.name].put, row_of(Secret.table, item))
    return True


def _remove_older(newest: Path, keep: int) -> tuple[Path, ...]:
    """Remove backups beyond the newest `keep`, never the one just made."""
    others = sorted((each for each in newest.parent.iterdir() if _is_ours(each)), reverse=True)
    others.remove(newest)
    removed = tuple(others[keep - 1 :])
    for each in removed:
        each.unlink()
    return removed


def _is_ours(file: Path) -> bool:
    if not OURS.fullmatch(file.name) or file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(_ID_AT + 4)[_ID_AT:] == APPLICATION_ID.to_bytes(4, "big")
