"""A file of any former layout is migrated to the current one, which new files have at once."""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from homeshelf.table.operations import item_key
from homeshelf.table.schema import BOOKS
from homeshelf.table.sqlite import file as sqlite_layout
from homeshelf.table.sqlite.engine import Sqlite
from tests.table.support import FORMER_LAYOUTS

NEXT = ("ALTER TABLE BookTrackerTable ADD COLUMN pages INTEGER", "CREATE TABLE lent(book TEXT)")


def test_every_version_is_kept() -> None:
    numbers = sorted(int(script.stem) for script in FORMER_LAYOUTS)
    assert numbers == list(range(1, sqlite_layout.current_version() + 1))


@pytest.mark.parametrize("script", FORMER_LAYOUTS, ids=lambda script: script.stem)
async def test_migrated_file_of_each_version_equals_a_new_file(
    tmp_path: Path, script: Path
) -> None:
    old, new = _create_from_script(script, tmp_path / "old.db"), tmp_path / "new.db"
    for path in (old, new):
        engine = Sqlite(path, upgrade=True)
        assert await engine.check_tables() == []
        if path == old:
            book = await engine.get(item_key(BOOKS, "SHELF#1", "BOOK#1"))
            assert book == {"pk": "SHELF#1", "sk": "BOOK#1", "title": "Emma"}
        await engine.close()
    assert _schema(old) == _schema(new)
    assert _numbers(old) == _numbers(new) == (sqlite_layout.current_version(), 0x486F6D65)


async def test_only_older_files_are_migrated_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file is created without the statements of the migrations."""
    before, after = tmp_path / "before.db", tmp_path / "after.db"
    await Sqlite(before).close()
    version, current = sqlite_layout.current_version(), sqlite_layout.MIGRATIONS
    monkeypatch.setattr(sqlite_layout, "MIGRATIONS", (*current, NEXT))
    for _ in range(2):
        for path in (before, after):
            await Sqlite(path, upgrade=True).close()
            assert _numbers(path)[0] == version + 1
    assert "CREATE TABLE lent(book TEXT)" in _schema(before)
    assert "CREATE TABLE lent(book TEXT)" not in _schema(after)


def test_killed_migration_is_rolled_back(tmp_path: Path) -> None:
    path = _create_from_script(FORMER_LAYOUTS[-1], tmp_path / "homeshelf.db")
    before = _schema(path), _numbers(path)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], cwd=Path(__file__).parents[2], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert path.with_name("homeshelf.db-wal").stat().st_size > 1_000_000, "it had begun"
    assert (_schema(path), _numbers(path)) == before


def test_failed_migration_is_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _create_from_script(FORMER_LAYOUTS[-1], tmp_path / "homeshelf.db")
    before = _schema(path), _numbers(path)
    monkeypatch.setattr(
        sqlite_layout, "MIGRATIONS", (*sqlite_layout.MIGRATIONS, (*NEXT, "SELECT nonsense"))
    )
    with pytest.raises(Exception, match="nonsense"):
        Sqlite(path, upgrade=True)
    assert (_schema(path), _numbers(path)) == before


KILLED = """
import os, pathlib, signal, sys, apsw
from homeshelf.table.sqlite import file as sqlite_layout
from homeshelf.table.sqlite.engine import Sqlite
end = lambda: os.kill(os.getpid(), signal.SIGKILL)
apsw.connection_hooks.append(lambda connection: connection.create_scalar_function("end", end))
sqlite_layout.MIGRATIONS += ((
    "PRAGMA cache_size = 10",
    "CREATE TABLE lent(book TEXT)",
    "INSERT INTO lent SELECT randomblob(1000000) FROM sqlite_master LIMIT 5",
    "SELECT end()",
),)
Sqlite(pathlib.Path(sys.argv[1]), upgrade=True)
"""


def _create_from_script(script: Path, path: Path) -> Path:
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("journal_mode", "wal")
        connection.execute(script.read_text())
    return path


def _schema(path: Path) -> set[str]:
    with closing(apsw.Connection(str(path))) as connection:
        return {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master") if sql}


def _numbers(path: Path) -> tuple[int, int]:
    with closing(apsw.Connection(str(path))) as connection:
        version, program = connection.pragma("user_version"), connection.pragma("application_id")
        return int(version), int(program)
