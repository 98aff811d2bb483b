"""The file of the embedded engine: how it is opened, recognised and upgraded."""

import os
from contextlib import closing, suppress
from pathlib import Path
from random import random
from tempfile import mkstemp
from time import monotonic, sleep
from urllib.parse import quote

import apsw

from homeshelf.private_files import (
    is_unreadable,
    keep_private,
    make_private_folder,
    ownership_advice,
    sync_folder,
)
from homeshelf.table.deadlines import FILE_SECONDS, READ_SECONDS
from homeshelf.table.engine import CannotOpen, OlderLayout, Unavailable
from homeshelf.table.schema import TABLES, Table

OLDEST_SQLITE = (3, 51, 3)
"""The oldest safe version; others can corrupt the file when two connections write at once."""
SYNCHRONOUS_FULL = 2
OPENING_SECONDS = FILE_SECONDS
CHECKSUMS = "backup_checksums"


def open_file(path: Path, *, upgrade: bool = False) -> apsw.Connection:
    """Open a file for writing, or create it; an older layout is refused or upgraded."""
    require_readable(path)
    version = apsw.sqlite_lib_version()
    if tuple(map(int, version.split("."))) < OLDEST_SQLITE:
        raise CannotOpen(f"SQLite {version} is too old; install a newer apsw.")
    try:
        make_private_folder(path.parent)
        if not path.exists():
            _create_file(path)
        return _open(path, upgrade=upgrade)
    except apsw.NotADBError:
        raise CannotOpen(
            f"{path} is not a Homeshelf database; nothing in it was changed."
        ) from None
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, OSError):
        raise CannotOpen(
            f"The database {path} cannot be written; check the folder and who owns it."
        ) from None
    except apsw.CorruptError:
        raise CannotOpen(f"The database {path} is damaged; restore it from a backup.") from None
    except apsw.BusyError:
        raise CannotOpen(f"The database {path} is locked by another program.") from None
    except apsw.Error as error:
        raise CannotOpen(f"The database {path} cannot be opened: {error}.") from None


def require_readable(path: Path) -> None:
    if is_unreadable(path):
        raise CannotOpen(f"{path} cannot be read: {ownership_advice(path)}")


def files_of(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def open_reader(path: Path) -> apsw.Connection:
    connection = connect(path)
    connection.pragma("query_only", 1)
    return connection


def open_to_read(path: Path) -> apsw.Connection:
    """Open a file without changing it, even on a read-only medium."""
    connection = connect(path)
    try:
        connection.pragma("query_only", 1)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        connection.close()
        return open_immutable(path)
    return connection


def open_immutable(path: Path) -> apsw.Connection:
    """Open a file that no process changes, so that SQLite needs no shared memory."""
    wal = path.with_name(f"{path.name}-wal")
    if wal.exists() and wal.stat().st_size:
        raise CannotOpen(f"{path} is in use, or was not closed: {wal.name} has its latest changes.")
    address = f"file:{quote(str(path.absolute()))}?immutable=1"
    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), statementcachesize=200)
    connection.set_busy_handler(_BusyHandler())
    return connection


def _create_file(path: Path) -> None:
    """Create a new file under another name, so that a killed start leaves no empty one."""
    descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    made = Path(name)
    try:
        with closing(connect(made)) as connection:
            _require_safety(connection, path)
            upgrade_layout(connection)
        with suppress(FileExistsError):  # another process was as quick
            path.hardlink_to(made)
    finally:
        for each in files_of(made):
            each.unlink(missing_ok=True)
    sync_folder(path.parent)


def _open(path: Path, *, upgrade: bool) -> apsw.Connection:
    """Open a file, retrying on locks for which SQLite does not wait."""
    ends = monotonic() + OPENING_SECONDS

    def wait(_tries: int = 0) -> bool:
        pause()
        return monotonic() < ends

    while True:
        found = path.stat()
        if not found.st_size:  # SQLite would delete the write-ahead log beside it
            raise _empty(path)
        connection = connect(path)
        connection.set_busy_handler(wait)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            _refuse_unfit(connection, path, upgrade=upgrade)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
            _require_same(path, found.st_ino)
            for each in files_of(path):  # before SQLite creates more files with the same rights
                keep_private(each)
            _require_safety(connection, path)
            upgrade_layout(connection)
            forget_checksums(connection)
        except apsw.BusyError:
            connection.close()
            if not wait():
                raise
        except BaseException:
            connection.close()
            raise
        else:
            return connection


def _require_safety(connection: apsw.Connection, path: Path) -> None:
    """Require a durable journal; SQLite grants less where memory cannot be shared."""
    journal = connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    if journal != "wal" or connection.pragma("synchronous") != SYNCHRONOUS_FULL:
        raise CannotOpen(
            f"The database {path} cannot be kept safely on this file system; "
            "put it on a disk of this machine, not of the network."
        )


def _require_same(path: Path, found: int) -> None:
    if path.stat().st_ino != found:
        raise apsw.BusyError


def _refuse_unfit(connection: apsw.Connection, path: Path, *, upgrade: bool) -> None:
    with connection:  # the transaction keeps other processes from writing
        if connection.pragma("page_count") == 0 and path.stat().st_size > 0:
            raise apsw.NotADBError  # SQLite would overwrite a file of a few bytes
    application_id = int(connection.pragma("application_id"))
    is_empty = connection.execute("SELECT count(*) FROM sqlite_master").get == 0
    if is_empty and application_id in (0, APPLICATION_ID):
        raise _empty(path)
    if application_id != APPLICATION_ID:
        raise CannotOpen(f"{path} is a database of another program; nothing in it was changed.")
    refuse_newer(connection, path)
    if connection.readonly("main"):
        raise apsw.ReadOnlyError
    if not upgrade and _version_of(connection) < current_version():
        raise OlderLayout(  # an older server may have the file open
            f"{path} was made by an earlier Homeshelf; "
            "start `homeshelf serve` of this version once, which upgrades it."
        )


def refuse_newer(connection: apsw.Connection, path: Path) -> None:
    if _version_of(connection) > current_version():
        raise CannotOpen(
            f"{path} was made by a newer Homeshelf; install that version or a later one."
        )


def _empty(path: Path) -> CannotOpen:
    return CannotOpen(
        f"The database {path} is empty, as an interrupted copy leaves it; "
        "restore a backup with --over, or move it away to begin a new household."
    )


class _BusyHandler:
    def __init__(self) -> None:
        self._ends = 0.0

    def __call__(self, tries: int) -> bool:
        if tries == 0:
            self._ends = monotonic() + READ_SECONDS
        pause()
        return monotonic() < self._ends


def pause() -> None:
    """Pause for a short random time before retrying a lock; SQLite's own pauses grow to 100 ms."""
    sleep(0.0005 + random() * 0.0015)  # noqa: S311  # spreads the waiting, keeps no secret


class _Reading:
    """Turns read errors of SQLite into `Unavailable`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.Error):
            raise Unavailable(f"the database cannot be read: {error}") from None


READING = _Reading()


APPLICATION_ID = 0x486F6D65
MIGRATIONS: tuple[tuple[str, ...], ...] = (("DROP TABLE IF EXISTS tokens",),)
"""The frozen statements from version 1 to 2, 2 to 3 and so on; a new file gets today's tables."""


def current_version() -> int:
    return 1 + len(MIGRATIONS)


def upgrade_layout(connection: apsw.Connection) -> None:
    """Upgrade a file to the current layout in one transaction."""
    if _version_of(connection) == current_version():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if (version := _version_of(connection)) == 0:
            create_layout(connection)
            connection.pragma("application_id", APPLICATION_ID)
        else:
            for statements in MIGRATIONS[version - 1 :]:
                for statement in statements:
                    connection.execute(statement)
        connection.pragma("user_version", current_version())
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def forget_checksums(connection: apsw.Connection) -> None:
    """Drop the checksums of a backup, which the first change makes wrong."""
    connection.execute(f"DROP TABLE IF EXISTS {CHECKSUMS}")


def create_layout(connection: apsw.Connection) -> None:
    for table in TABLES:
        for statement in layout_of(table):
            connection.execute(statement)


def layout_of(table: Table) -> list[str]:
    """Return the SQL of a rowid table; without rowids, index queries took three times as long."""
    name, unique = quoted(table.name), f"{quoted(table.partition)}, {quoted(table.sort)}"
    columns = [
        f"{quoted(key)} {'INTEGER' if key in table.numbers else 'TEXT'} NOT NULL"
        for key in (table.partition, table.sort)
    ]
    columns += [f"{quoted(key)} TEXT" for key in table.index_attributes]
    columns += [f"{quoted(table.ttl)} INTEGER"] if table.ttl else []
    statements = [
        f"CREATE TABLE IF NOT EXISTS {name}({', '.join(columns)}, item TEXT NOT NULL)",
        f"CREATE UNIQUE INDEX IF NOT EXISTS {quoted(table.name + '.key')} ON {name}({unique})",
    ]
    for index in table.indexes:
        partition, sort = quoted(index.partition), quoted(index.sort)
        statements.append(
            f"CREATE INDEX IF NOT EXISTS {quoted(f'{table.name}.{index.name}')} "
            f"ON {name}({partition}, {sort}, {unique}) "
            f"WHERE {partition} IS NOT NULL AND {sort} IS NOT NULL"
        )
    if table.ttl:
        ttl = quoted(table.ttl)
        statements.append(
            f"CREATE INDEX IF NOT EXISTS {quoted(table.name + '.ttl')} "
            f"ON {name}({ttl}) WHERE {ttl} IS NOT NULL"
        )
    return statements


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _version_of(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))
