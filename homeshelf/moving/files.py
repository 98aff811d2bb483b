"""Create files that get their name only when complete, and never replace another file."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from homeshelf.private_files import sync_folder
from homeshelf.table import CannotOpen
from homeshelf.table.sqlite.file import files_of


def write_new_file(file: Path, text: bytes) -> None:
    if file.exists():
        raise file_exists_error(file)
    made = file.with_name(f".{file.name}.partial")
    with hold_new_file(made, f"Another process is writing {file}."):
        with made.open("wb") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        name_file(made, file)
    sync_folder(file.parent)


@contextmanager
def hold_new_file(path: Path, busy: str) -> Iterator[None]:
    """Hold a new, locked, private file, and delete it in the end; `busy` is the lock error."""
    descriptor = _create_locked(path, busy)
    try:
        for beside in files_of(path)[1:]:
            beside.unlink(missing_ok=True)
        try:
            yield
        finally:
            for each in files_of(path):
                each.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _create_locked(path: Path, busy: str) -> int:
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        _remove_leftover(path, busy)
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileExistsError:  # another process was faster
            raise CannotOpen(busy) from None
    try:
        _lock_file(path, descriptor, busy)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _remove_leftover(path: Path, busy: str) -> None:
    with suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            _lock_file(path, descriptor, busy)
            path.unlink()
        finally:
            os.close(descriptor)


def _lock_file(path: Path, descriptor: int, busy: str) -> None:
    """Lock the file; raise an error if another process holds or has removed it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_it = os.path.samestat(os.fstat(descriptor), path.lstat())
    except (BlockingIOError, FileNotFoundError):
        is_it = False
    if not is_it:
        raise CannotOpen(busy)


def name_file(made: Path, file: Path) -> None:
    try:
        file.hardlink_to(made)
    except FileExistsError:
        raise file_exists_error(file) from None
    except OSError:  # a file system without hard links, as on many USB sticks
        if file.exists():
            raise file_exists_error(file) from None
        made.rename(file)


def file_exists_error(file: Path) -> CannotOpen:
    return CannotOpen(f"{file} exists already and was not changed.")
