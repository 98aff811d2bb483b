"""Files that are whole from the moment they have their name, and never in the place of another."""

from pathlib import Path

from homeshelf.table import CannotOpen


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
