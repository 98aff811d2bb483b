"""Copies of the embedded engine's file, made while other processes write."""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import apsw

from homeshelf.private_files import sync_folder
from homeshelf.table.engine import CannotOpen
from homeshelf.table.schema import HELPER, TABLES
from homeshelf.table.sqlite.file import (
    APPLICATION_ID,
    CHECKSUMS,
    connect,
    files_of,
    forget_checksums,
    open_immutable,
    open_to_read,
    quoted,
    refuse_newer,
    require_readable,
)

PAGES_AT_ONCE = 2000
LOCKED_FROM, LOCKED_BYTES = 0x40000000, 512
"""The bytes that SQLite locks: every process with the file open holds some of them."""
SHARED_MEMORY_BYTE = 128
"""The byte that SQLite locks in the shared memory, `-shm`."""

Progress = Callable[[int, int], None]


def no_progress(_done: int, _of: int) -> None:
    pass


Contents = Mapping[str, tuple[int, str]]
_AMONG = {HELPER.name: " WHERE PK <> 'SECRET'"}
"""The filter that leaves the signing key out of comparisons, because only copies contain it."""


def copy_into(target: Path, ours: apsw.Connection, progress: Progress) -> Contents:
    """Copy a snapshot into a new file and return its contents, without blocking writers."""
    ours.execute("BEGIN")
    try:
        contents = read_contents(ours)
        with closing(connect(target)) as theirs:
            with theirs.backup("main", ours, "main") as copying:
                while not copying.done:
                    copying.step(PAGES_AT_ONCE)
                    progress(copying.page_count - copying.remaining, copying.page_count)
            theirs.pragma("journal_mode", "delete")  # a single file, without a log beside it
    finally:
        ours.execute("COMMIT")
    return contents


@contextmanager
def explain_full_disk(path: Path) -> Iterator[None]:
    try:
        yield
    except (apsw.FullError, apsw.IOError):
        raise CannotOpen(
            f"The disk of {path.parent} is full or failing; nothing was changed."
        ) from None


@contextmanager
def open_for_reading(path: Path) -> Iterator[apsw.Connection]:
    require_readable(path)
    if not path.exists():
        raise CannotOpen(f"There is no database {path}.")
    with _explain_errors(path), closing(open_to_read(path)) as connection:
        _require_ours(connection, path)
        yield connection


def read_contents(connection: apsw.Connection) -> Contents:
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    names = [each.name for each in TABLES if each.name in there]
    return {name: digest_of(connection, name, _AMONG.get(name, "")) for name in names}


@contextmanager
def open_copy(path: Path) -> Iterator[apsw.Connection]:
    require_readable(path)
    if not path.is_file():
        raise CannotOpen(f"There is no file {path}.")
    with _explain_errors(path), closing(open_immutable(path)) as connection:
        _require_ours(connection, path)
        require_whole(connection, path)
        yield connection


def _require_ours(connection: apsw.Connection, path: Path) -> None:
    if int(connection.pragma("application_id")) != APPLICATION_ID:
        raise CannotOpen(f"{path} is not a Homeshelf database; nothing was changed.")
    refuse_newer(connection, path)


def require_whole(connection: apsw.Connection, path: Path) -> None:
    with _explain_errors(path):
        found = [text for (text,) in connection.execute("PRAGMA integrity_check(1)")]
        if found != ["ok"]:
            raise CannotOpen(f"{path} is damaged; nothing was changed.")


def require_unchanged(connection: apsw.Connection, path: Path) -> None:
    with _explain_errors(path):
        if differs(connection):
            raise CannotOpen(f"{path} is damaged; nothing was changed.")


@contextmanager
def exclusive_access(path: Path) -> Iterator[None]:
    """Merge a file with its log and hold SQLite's own locks on it, so that others wait."""
    with suppress(apsw.NotADBError, apsw.CorruptError, apsw.CantOpenError):
        _settle(path)
    with ExitStack() as locks:
        places = [(path, LOCKED_FROM, LOCKED_BYTES)]
        places += [(path.with_name(f"{path.name}-shm"), SHARED_MEMORY_BYTE, 1)]
        for file, start, length in places:
            if file.exists():
                descriptor = os.open(file, os.O_RDWR)
                locks.callback(os.close, descriptor)
                try:
                    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
                except OSError:
                    raise _in_use(path) from None
        yield


def _settle(path: Path) -> None:
    if not path.exists() or not path.stat().st_size:
        return
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        try:
            if connection.pragma("journal_mode", "delete") != "delete":
                raise _in_use(path)
        except apsw.BusyError:
            raise _in_use(path) from None


def replace_file(new: Path, path: Path, ending: str, *, is_there: bool) -> list[Path]:
    if not is_there and path.exists():
        raise _in_use(path)
    kept = [
        (file, path.with_name(f"{path.name}{ending}{file.name[len(path.name) :]}"))
        for file in files_of(path)
        if file.exists() and not file.name.endswith("-shm")
    ]
    for file, name in kept:
        name.hardlink_to(file)
    sync_folder(path.parent)
    for file in files_of(path)[1:]:  # SQLite would take the old file's log for the new one's
        file.unlink(missing_ok=True)
    try:
        if is_there:
            new.replace(path)
        else:
            path.hardlink_to(new)  # another process may start at the same moment
    except FileExistsError:
        raise _in_use(path) from None
    sync_folder(path.parent)
    return [name for _, name in kept]


def _in_use(path: Path) -> CannotOpen:
    return CannotOpen(f"{path} is in use: stop Homeshelf first.")


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.NotADBError:
        raise CannotOpen(f"{path} is not a Homeshelf database; nothing was changed.") from None
    except (apsw.CorruptError, UnicodeError):
        raise CannotOpen(f"{path} is damaged; nothing was changed.") from None
    except apsw.Error as error:
        raise CannotOpen(f"{path} cannot be read: {error}; nothing was changed.") from None


def digest_of(connection: apsw.Connection, name: str, among: str = "") -> tuple[int, str]:
    """Return the number of rows and their digest, by `ascii` because `repr` varies with Python."""
    count, made = 0, hashlib.sha256()
    for row in connection.execute(f"SELECT * FROM {quoted(name)}{among} ORDER BY rowid"):  # noqa: S608  # our names
        count += 1
        made.update(ascii(row).encode())
    return count, made.hexdigest()


def put_checksums(connection: apsw.Connection) -> None:
    """Store a digest of each table, because SQLite only compares tables with their indexes."""
    with connection:
        forget_checksums(connection)
        connection.execute(f"CREATE TABLE {CHECKSUMS}(name TEXT, records INTEGER, digest TEXT)")
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> ?"
        found = [name for (name,) in connection.execute(names, (CHECKSUMS,))]
        for name in ("sqlite_master", *found):
            row = (name, *digest_of(connection, name))
            connection.execute(f"INSERT INTO {CHECKSUMS} VALUES (?, ?, ?)", row)  # noqa: S608  # our name


def has_checksums(connection: apsw.Connection) -> bool:
    named = "SELECT count(*) FROM sqlite_master WHERE name = ?"
    return bool(connection.execute(named, (CHECKSUMS,)).get)


def differs(connection: apsw.Connection) -> bool:
    if not has_checksums(connection):
        return False
    kept = connection.execute(f"SELECT * FROM {CHECKSUMS}").fetchall()  # noqa: S608  # our name
    try:
        found = [(name, *digest_of(connection, str(name))) for name, _, _ in kept]
    except apsw.SQLError:  # a table is missing
        return True
    return not kept or kept != found
