"""`homeshelf backup`: a copy of the embedded database and of its signing key, in one file."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from homeshelf import clock
from homeshelf.moving.files import is_there, name_file
from homeshelf.private_files import keep_private, make_private_folder
from homeshelf.signing import encoded
from homeshelf.table import CannotOpen
from homeshelf.table.sqlite.copies import (
    Progress,
    contents_of,
    copy_into,
    opened_copy,
    opened_while_used,
    sync_file,
    sync_folder,
)
from homeshelf.table.sqlite.file import APPLICATION_ID, connect, files_of
from homeshelf.table.sqlite.items import STATEMENTS
from homeshelf.table.sqlite.writing import row_of
from homeshelf.web.services import Secret, read_key

OURS = re.compile(r"homeshelf-\d{8}-\d{6}\.db")
PARTIAL = ".partial"
_ID_AT = 68
"""Where a file of SQLite says whose it is."""


@dataclass(frozen=True)
class Backup:
    file: Path
    records: int
    has_key: bool
    removed: tuple[Path, ...] = ()


def back_up(
    database: Path, key: Path | None, target: Path, keep: int | None, progress: Progress
) -> Backup:
    """Into a file, or into a folder under the name of the moment, of which the last `keep` stay."""
    folder, file = _place(target, keep)
    has_key = key is not None and key.exists()
    with opened_while_used(database) as used, _partial(folder, file) as made:
        before = copy_into(made, used, progress)
        if has_key and key is not None:
            _put_key(made, read_key(key))
        sync_file(made)
        with opened_copy(made) as copy:
            if contents_of(copy) != before:
                raise CannotOpen(f"The copy in {folder} is not what was copied; look at the disk.")
        name_file(made, file)
    sync_folder(folder)
    removed = _remove_older(file, keep) if keep is not None else ()
    return Backup(file, sum(count for count, _ in before.values()), has_key, removed)


def _place(target: Path, keep: int | None) -> tuple[Path, Path]:
    """The folder, which is made where it is missing, and the file in it."""
    folder, file = target.parent, target
    if keep is not None or target.is_dir():
        folder, file = target, target / f"homeshelf-{clock.now():%Y%m%d-%H%M%S}.db"
    if folder.exists() and not folder.is_dir():
        raise CannotOpen(f"{folder} is no folder.")
    if file.exists():
        raise is_there(file)
    make_private_folder(folder)
    return folder, file


@contextmanager
def _partial(folder: Path, file: Path) -> Iterator[Path]:
    """A file for this backup alone, gone in the end; what a former one left is taken away first."""
    ours = OURS.fullmatch(file.name) is not None
    path = folder / (f".homeshelf{PARTIAL}" if ours else f".{file.name}{PARTIAL}")
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotOpen(f"Another backup is being made in {folder}.") from None
        keep_private(path)
        os.ftruncate(descriptor, 0)
        for beside in files_of(path)[1:]:
            beside.unlink(missing_ok=True)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _put_key(file: Path, key: bytes) -> None:
    """Where it stands on DynamoDB."""
    with closing(connect(file)) as connection, connection:
        item = Secret(secret=encoded(key)).item()
        connection.execute(STATEMENTS[Secret.table.name].put, row_of(Secret.table, item))


def _remove_older(newest: Path, keep: int) -> tuple[Path, ...]:
    """Only what this command made, and never the one that it has just made."""
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
