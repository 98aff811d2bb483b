"""Copy the embedded database and its signing key into one file."""

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from homeshelf import clock
from homeshelf.coordination.signing_keys import Secret, format_keys, read_keys
from homeshelf.moving.files import file_exists_error, hold_new_file, name_file
from homeshelf.private_files import make_private_folder, sync_file, sync_folder
from homeshelf.table import CannotOpen
from homeshelf.table.sqlite.copies import (
    Contents,
    Progress,
    copy_into,
    differs,
    explain_full_disk,
    open_copy,
    open_for_reading,
    put_checksums,
    read_contents,
)
from homeshelf.table.sqlite.file import APPLICATION_ID, connect
from homeshelf.table.sqlite.items import STATEMENTS, item_at
from homeshelf.table.sqlite.writing import row_of

BACKUP_NAME = re.compile(r"homeshelf-\d{8}-\d{6}\.db")
_ID_OFFSET = 68


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
    """Copy into a file, or into a folder that keeps the newest `keep` files."""
    with open_for_reading(database) as used:
        folder, file = _choose_file(target, into_folder=into_folder or keep is not None)
        name = "homeshelf" if BACKUP_NAME.fullmatch(file.name) else file.name
        made = folder / f".{name}.partial"
        with hold_new_file(made, f"Another backup is being made in {folder}."):
            before, has_key = _copy_and_verify(used, made, key, progress)
            name_file(made, file)
    sync_folder(folder)
    removed = _remove_older(file, keep) if keep is not None else ()
    return Backup(file, sum(count for count, _ in before.values()), has_key, removed)


def _copy_and_verify(
    used: apsw.Connection, made: Path, key: Path | None, progress: Progress
) -> tuple[Contents, bool]:
    with explain_full_disk(made):
        before = copy_into(made, used, progress)
        with closing(connect(made)) as connection:
            has_key = _put_key(connection, key)
            put_checksums(connection)
    sync_file(made)
    with open_copy(made) as copy:
        if read_contents(copy) != before or differs(copy):
            raise CannotOpen(
                f"The copy in {made.parent} differs from the database; check the disk."
            )
    return before, has_key


def _choose_file(target: Path, *, into_folder: bool) -> tuple[Path, Path]:
    folder, file = target.parent, target
    if into_folder or target.is_dir():
        folder, file = target, target / f"homeshelf-{clock.now():%Y%m%d-%H%M%S}.db"
    if folder.exists() and not folder.is_dir():
        raise CannotOpen(f"{folder} is not a folder.")
    if file.exists():
        raise file_exists_error(file)
    make_private_folder(folder)
    return folder, file


def _put_key(copy: apsw.Connection, key: Path | None) -> bool:
    """Add the key where DynamoDB keeps it, unless a restored database has it there."""
    at = Secret.key()
    if item_at(copy, at.table, at.partition, at.sort, 0) is not None:
        return True
    if key is None or not key.exists():
        return False
    item = Secret(secret=format_keys(read_keys(key))).item()
    copy.execute(STATEMENTS[Secret.table.name].put, row_of(Secret.table, item))
    return True


def _remove_older(newest: Path, keep: int) -> tuple[Path, ...]:
    others = sorted((each for each in newest.parent.iterdir() if _is_backup(each)), reverse=True)
    others.remove(newest)
    removed = tuple(others[keep - 1 :])
    for each in removed:
        each.unlink()
    return removed


def _is_backup(file: Path) -> bool:
    if not BACKUP_NAME.fullmatch(file.name) or file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(_ID_OFFSET + 4)[_ID_OFFSET:] == APPLICATION_ID.to_bytes(4, "big")
