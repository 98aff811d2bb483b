"""Create a database of very many families in a minute, by copying stored rows under new ids.

The ids ascend, so that SQLite writes its indexes in order.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree

import apsw

from bench import sample
from bench.household import Household
from bench.results import ROOT
from homeshelf.table.schema import TABLES
from homeshelf.table.sqlite.file import connect, layout_of, open_file
from homeshelf.table.sqlite.items import STATEMENTS, encode

CACHE = ROOT / ".cache" / "bench"
ITEMS, ENTRIES = 4, 3
RECORDS_EACH = 3 + ITEMS + ENTRIES
TIMESTAMP = "2025-01-15T10:00:00.000Z"
MARK = "MMMMMMM"
CACHED_KB = 400_000

Row = Sequence[object]


def family_database(families: int, cache: Path = CACHE) -> Path:
    """Return the folder of a database with this number of families, creating it once.

    The folder is renamed to its final name when it is complete. The name has a digest of the rows,
    so that an unfinished or outdated folder is never reused.
    """
    rows = _family_rows()
    folder = cache / f"families-{families}-{_digest(rows)}"
    if not folder.exists():
        _clear(cache, f"families-{families}-")
        building = cache / f"building-{os.getpid()}"
        path = building / "data" / "homeshelf.db"
        open_file(path).close()
        _fill(path, rows, families)
        building.rename(folder)
    return folder


def _clear(cache: Path, prefix: str) -> None:
    """Delete databases of other records and abandoned temporary files, because each is large."""
    for path in cache.glob("*"):
        _, _, pid = path.name.partition("building-")
        if path.name.startswith(prefix) or (pid and not Path(f"/proc/{pid}").exists()):
            rmtree(path)


def _fill(path: Path, rows: Sequence[tuple[str, Row]], families: int) -> None:
    """Write rows without durability, because an incomplete file is thrown away."""
    connection = connect(path)
    for pragma, value in (("synchronous", 0), ("cache_size", -CACHED_KB)):
        connection.pragma(pragma, value)
    connection.execute("BEGIN")
    for table in dict.fromkeys(table for table, _ in rows):
        own = [row for name, row in rows if name == table]
        connection.executemany(STATEMENTS[table].put, _copy_rows(own, families))
    connection.execute("COMMIT")
    connection.pragma("wal_checkpoint", "TRUNCATE")
    connection.close()


def _copy_rows(rows: Sequence[Row], families: int) -> Iterator[Row]:
    """Yield each row once for each family, with the ids of that family."""
    for number in range(families):
        own = f"{number:07x}"
        for row in rows:
            yield [each.replace(MARK, own) if isinstance(each, str) else each for each in row]


def _family_rows() -> list[tuple[str, Row]]:
    """Return one family's rows as the engine stores them, with a mark in every id."""
    home = Household()
    account, _, family, member = home.records()
    items = sample.items(home.family_id, home.member_id, ITEMS)
    entries = sample.entries(home.family_id, home.member_id, ENTRIES)
    ids: dict[str, str] = {}

    def replace_ids(value: object) -> object:
        if not isinstance(value, str):
            return value
        text = _TIME.sub(TIMESTAMP, value)
        return _ID.sub(lambda found: ids.setdefault(found[0], _marked_id(len(ids))), text)

    rows: list[tuple[str, Row]] = []
    for record in (account, family, member, *items, *entries):
        item, statements = record.item(), STATEMENTS[record.table.name]
        row = statements.row(item, encode(item).decode())
        rows.append((record.table.name, [replace_ids(each) for each in row]))
    return rows


_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


def _marked_id(number: int) -> str:
    return f"{MARK}{number:x}-0000-4000-8000-{number:012x}"


def _digest(rows: Sequence[tuple[str, Row]]) -> str:
    layout = [statement for table in TABLES for statement in layout_of(table)]
    text = repr((rows, layout, apsw.sqlite_lib_version()))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
