"""The checksums of a backup: a digest of each table, in a table of its own.

SQLite's own check only compares tables with their indexes.
"""

import hashlib

import apsw

from homeshelf.table.sqlite.file import CHECKSUMS, forget_checksums, quoted

LAYOUT = "sqlite_master"


def digest_of(connection: apsw.Connection, name: str, among: str = "") -> tuple[int, str]:
    """Return the number and a digest of the rows, which must never change: `repr` varies with
    Python."""
    count, made = 0, hashlib.sha256()
    for row in connection.execute(f"SELECT * FROM {quoted(name)}{among} ORDER BY rowid"):  # noqa: S608  # our names
        count += 1
        made.update(ascii(row).encode())
    return count, made.hexdigest()


def put_checksums(connection: apsw.Connection) -> None:
    with connection:
        forget_checksums(connection)
        connection.execute(f"CREATE TABLE {CHECKSUMS}(name TEXT, records INTEGER, digest TEXT)")
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> ?"
        found = [name for (name,) in connection.execute(names, (CHECKSUMS,))]
        for name in (LAYOUT, *found):
            row = (name, *digest_of(connection, name))
            connection.execute(f"INSERT INTO {CHECKSUMS} VALUES (?, ?, ?)", row)  # noqa: S608  # our name


def has_checksums(connection: apsw.Connection) -> bool:
    named = "SELECT count(*) FROM sqlite_master WHERE name = ?"
    return bool(connection.execute(named, (CHECKSUMS,)).get)


def differs(connection: apsw.Connection) -> bool:
    """Return whether a table differs from its checksum, if there are any."""
    if not has_checksums(connection):
        return False
    kept = connection.execute(f"SELECT * FROM {CHECKSUMS}").fetchall()  # noqa: S608  # our name
    try:
        found = [(name, *digest_of(connection, str(name))) for name, _, _ in kept]
    except apsw.SQLError:  # one of them is not there
        return True
    return not kept or kept != found
