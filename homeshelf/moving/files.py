"""Files that are whole from the moment they have their name, and never in the place of another."""

import os
from pathlib import Path

from homeshelf.table import CannotOpen
from homeshelf.table.sqlite.copies import sync_folder


def write_new(file: Path, text: bytes) -> None:
    """For its owner alone."""
    if file.exists():
        raise is_there(file)
    made = file.with_name(f".{file.name}.{os.getpid()}.partial")
    descriptor = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        name_file(made, file)
    finally:
        made.unlink(missing_ok=True)
    sync_folder(file.parent)


def name_file(made: Path, file: Path) -> None:
    """Not every file system of a stick has links."""
    try:
        file.hardlink_to(made)
    except FileExistsError:
        raise is_there(file) from None
    except OSError:
        if file.exists():
            raise is_there(file) from None
        made.rename(file)


def is_there(file: Path) -> CannotOpen:
    return CannotOpen(f"{file} is there already, and stays as it is.")
