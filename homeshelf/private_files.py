"""Files and folders that only their owner can access, and that survive a crash."""

import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
WRITING = 0o022


def make_private_folder(path: Path) -> None:
    """Create a folder and its missing parents; existing ones keep their permissions."""
    for missing in [each for each in (path, *path.parents) if not each.exists()][::-1]:
        with suppress(FileExistsError):  # another process was as quick
            missing.mkdir(mode=0o700)


def make_private_file(path: Path) -> None:
    """Create an empty file unless it exists; it is never accessible to others."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def keep_private(path: Path) -> None:
    with suppress(OSError):
        if is_open_to_others(path):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)


def is_open_to_others(path: Path, rights: int = OTHERS) -> bool:
    """Return whether others on this machine have any of these rights to an existing file."""
    try:
        return bool(path.stat().st_mode & rights)
    except (FileNotFoundError, PermissionError):
        return False


def is_missing(path: Path) -> bool:
    """Return whether there is no such file; a folder without access for this process hides it."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except PermissionError:
        pass
    return False


def is_unreadable(path: Path) -> bool:
    """Return whether the permissions of a file or its folder keep this process from reading it."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    # Opening and closing it would release the locks that SQLite holds in this process.
    return not os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def ownership_advice(path: Path) -> str:
    """Return a sentence about the owner of a file that this process may not read."""
    at = next(each for each in (path, *path.absolute().parents) if _owner_of(each) is not None)
    owner, user = _owner_of(at), os.geteuid()
    if owner == user:
        return f"its owner may not read {at}; run `chmod u+rwX {at}`."
    return (
        f"{at} belongs to {_name_of(owner or 0)}, and this runs as {_name_of(user)}; the user "
        "that runs Homeshelf should own it (`chown`), and run this."
    )


def _owner_of(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except OSError:
        return None


def _name_of(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:  # a container may run as a user without a name
        return f"user {user}"


def unused_ending(path: Path, ending: str) -> str:
    """Return an ending that no file of this name, or beginning with it, has yet."""
    number, wanted = 1, ending
    while any(path.parent.glob(f"{path.name}{ending}*")):
        number += 1
        ending = f"{wanted}~{number}"
    return ending


def replace_private(path: Path, text: str) -> None:
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
        with suppress(OSError):  # not every file system supports it
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
