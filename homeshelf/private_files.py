"""Files and folders that are for their owner alone, whatever the machine's habit is, and that are
there after a crash."""

import os
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
"""All that anybody but the owner may do with a file."""
WRITING = 0o022


def make_private_folder(path: Path) -> None:
    """With the folders above it that are missing; those that are there stay as they are."""
    for missing in [each for each in (path, *path.parents) if not each.exists()][::-1]:
        with suppress(FileExistsError):  # somebody else was as quick
            missing.mkdir(mode=0o700)


def make_private_file(path: Path) -> None:
    """An empty one, unless there is one; it is never open to others, not even for a moment."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def keep_private(path: Path) -> None:
    with suppress(OSError):
        if is_open_to_others(path):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)


def is_open_to_others(path: Path, rights: int = OTHERS) -> bool:
    """Whether others on this machine have any of these rights on it; not if it is not there."""
    try:
        return bool(path.stat().st_mode & rights)
    except FileNotFoundError:
        return False


def unused_ending(path: Path, ending: str) -> str:
    """What can stand behind a file's name, and behind those of others that begin with it."""
    number, wanted = 1, ending
    while any(path.parent.glob(f"{path.name}{ending}*")):
        number += 1
        ending = f"{wanted}~{number}"
    return ending


def replace_private(path: Path, text: str) -> None:
    """A file with this text, in the place of one that is there, at once or not at all."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    made.unlink(missing_ok=True)
    make_private_file(made)
    made.write_text(text)
    sync_file(made)
    made.replace(path)
    sync_folder(path.parent)


def sync_file(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every file system of a stick can
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
