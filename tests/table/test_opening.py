"""An unusable database is reported in one clear sentence and stays unchanged."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from homeshelf.table.engine import CannotOpen
from homeshelf.table.operations import Put
from homeshelf.table.schema import BOOKS
from homeshelf.table.sqlite import file as sqlite_file
from homeshelf.table.sqlite.engine import Sqlite
from tests.cases import seeded_random

NOBODY = 65534


async def test_a_new_file_is_made_with_the_folders_above_it(tmp_path: Path) -> None:
    path = tmp_path / "some" / "where" / "homeshelf.db"
    engine = Sqlite(path)
    assert await engine.check_tables() == []
    await engine.close()
    assert path.exists()


EMPTY = (
    "The database {path} is empty, as an interrupted copy leaves it; "
    "restore a backup with --over, or move it away to begin a new household."
)


def test_empty_file_is_refused_and_the_log_beside_it_stays(tmp_path: Path) -> None:
    path, log = tmp_path / "homeshelf.db", tmp_path / "homeshelf.db-wal"
    path.touch()
    log.write_bytes(b"the rest of it")
    assert _refusal(path) == EMPTY.format(path=path)
    assert (path.read_bytes(), log.read_bytes()) == (b"", b"the rest of it")


@pytest.mark.parametrize(
    "statement", ["PRAGMA journal_mode = wal", "PRAGMA application_id = 0x486F6D65"]
)
def test_file_without_tables_is_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "homeshelf.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    assert path.stat().st_size == 4096
    with _unchanged(path):
        assert _refusal(path) == EMPTY.format(path=path)


def test_new_file_leaves_nothing_else_in_its_folder(tmp_path: Path) -> None:
    sqlite_file.open_file(tmp_path / "homeshelf.db").close()
    assert [each.name for each in tmp_path.iterdir()] == ["homeshelf.db"]


async def test_a_file_is_opened_again_as_it_was_left(tmp_path: Path) -> None:
    path = await _create_database(tmp_path / "homeshelf.db")
    before = path.read_bytes()
    await Sqlite(path).close()
    assert path.read_bytes() == before


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    path = tmp_path / "data" / "homeshelf.db"
    assert _refusal(path) == f"The database {path} cannot be written; {CHECK}"


def test_a_file_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    assert _refusal(tmp_path) == f"The database {tmp_path} cannot be written; {CHECK}"


def test_a_file_system_that_takes_no_files_is_refused() -> None:
    path = Path("/proc/homeshelf/homeshelf.db")
    assert _refusal(path) == f"The database {path} cannot be written; {CHECK}"


def test_a_folder_that_may_not_be_written_is_refused(folder: Path) -> None:
    path = folder / "homeshelf.db"
    with _unable_to_write(folder):
        assert _refusal(path) == f"The database {path} cannot be written; {CHECK}"
    assert list(folder.iterdir()) == []


async def test_a_file_that_may_not_be_written_is_refused(folder: Path) -> None:
    path = await _create_database(folder / "homeshelf.db")
    path.chmod(0o644)  # every user may read it
    with _unchanged(path), _unable_to_write(path):
        assert _refusal(path) == f"The database {path} cannot be written; {CHECK}"


async def test_a_file_in_a_folder_that_may_not_be_written_is_refused(folder: Path) -> None:
    path = await _create_database(folder / "homeshelf.db")
    path.chmod(0o666)  # every user may read and write it
    with _unchanged(path), _unable_to_write(folder):
        assert _refusal(path) == f"The database {path} cannot be written; {CHECK}"


@pytest.mark.parametrize("content", [b"no database\n" * 200, b"x", b"\0" * 4096])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "homeshelf.db"
    path.write_bytes(content)
    with _unchanged(path):
        expected = f"{path} is not a Homeshelf database; nothing in it was changed."
        assert _refusal(path) == expected


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_database_of_another_program_is_refused(tmp_path: Path, journal: str) -> None:
    path = _of_another_program(tmp_path / "homeshelf.db", journal)
    with _unchanged(path):
        expected = f"{path} is a database of another program; nothing in it was changed."
        assert _refusal(path) == expected


def test_another_program_that_is_running_is_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "homeshelf.db"
    begin = """
        PRAGMA journal_mode = wal;
        CREATE TABLE theirs(a);
        BEGIN IMMEDIATE;
        INSERT INTO theirs VALUES (1);
    """
    with _another_program(path, begin), _unchanged(path):
        assert "another program" in _refusal(path)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT a FROM theirs").fetchall() == [(1,)]


def test_unfinished_changes_of_another_program_are_kept(tmp_path: Path) -> None:
    """The engine does not merge the write-ahead log of another program, as a crash leaves one."""
    path = tmp_path / "homeshelf.db"
    with closing(sqlite3.connect(tmp_path / "theirs.db", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = wal")
        other.execute("CREATE TABLE theirs(a)")
        for suffix in ("", "-wal"):
            shutil.copy(tmp_path / f"theirs.db{suffix}", tmp_path / f"homeshelf.db{suffix}")
    with _unchanged(path), _unchanged(tmp_path / "homeshelf.db-wal"):
        assert "another program" in _refusal(path)


def test_a_database_that_another_program_locks_is_refused_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "OPENING_SECONDS", 0.1)
    path = tmp_path / "homeshelf.db"
    begin = "CREATE TABLE theirs(a); BEGIN EXCLUSIVE"
    with _another_program(path, begin), _unchanged(path):
        assert _refusal(path) == f"The database {path} is locked by another program."


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = await _create_database(tmp_path / "homeshelf.db")
    with closing(apsw.Connection(str(path))) as newer:
        newer.pragma("user_version", 1000)
    with _unchanged(path):
        expected = f"{path} was made by a newer Homeshelf; install that version or a later one."
        assert _refusal(path) == expected


async def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = await _create_database(tmp_path / "homeshelf.db")
    content = bytearray(path.read_bytes())
    content[100:4096] = seeded_random().randbytes(3996)
    path.write_bytes(content)
    with _unchanged(path):
        expected = f"The database {path} is damaged; restore it from a backup."
        assert _refusal(path) == expected


@pytest.fixture
def disk_without_shared_memory() -> Iterator[None]:
    """A disk without shared memory, as some network disks are; SQLite has a VFS for them."""
    before = apsw.vfs_names()[0]
    apsw.set_default_vfs("unix-none")
    yield
    apsw.set_default_vfs(before)


@pytest.mark.usefixtures("disk_without_shared_memory")
def test_a_disk_that_cannot_keep_it_safely_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "homeshelf.db"
    assert _refusal(path) == (
        f"The database {path} cannot be kept safely on this file system; "
        "put it on a disk of this machine, not of the network."
    )
    assert list(tmp_path.iterdir()) == []


async def test_acknowledged_write_is_synced_to_disk(tmp_path: Path) -> None:
    engine = Sqlite(tmp_path / "homeshelf.db")
    safety = await engine._writer.do(
        lambda connection: (connection.pragma("journal_mode"), connection.pragma("synchronous"))
    )
    assert safety == ("wal", 2)
    await engine.close()


def test_sqlite_version_with_known_faults_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "OLDEST_SQLITE", (99, 0, 0))
    version = apsw.sqlite_lib_version()
    refusal = _refusal(tmp_path / "homeshelf.db")
    assert refusal == f"SQLite {version} is too old; install a newer apsw."
    assert list(tmp_path.iterdir()) == []


CHECK = "check the folder and who owns it."


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for every user, unlike the folders of pytest and their parents."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def _refusal(path: Path) -> str:
    with pytest.raises(CannotOpen) as caught:
        Sqlite(path)
    return str(caught.value)


async def _create_database(path: Path) -> Path:
    engine = Sqlite(path)
    await engine.write(Put(BOOKS, {"pk": "a", "sk": "b"}))
    await engine.close()
    return path


def _of_another_program(path: Path, journal: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"PRAGMA journal_mode = {journal}")
        other.execute("CREATE TABLE theirs(a)")
    return path


@contextmanager
def _another_program(path: Path, begin: str) -> Iterator[None]:
    """Run this in another process and commit at the end, because locks are between processes."""
    script = (
        "import sqlite3, sys; other = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "other.executescript(sys.argv[2]); print(flush=True); sys.stdin.read(); other.commit()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path), begin],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline()
        yield
        process.stdin.close()
    assert process.returncode == 0


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


@contextmanager
def _unable_to_write(path: Path) -> Iterator[None]:
    """Remove the write permission; root, who needs none, becomes another user for the block."""
    user, before = os.geteuid(), path.stat().st_mode
    path.chmod(before & ~0o222)
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        path.chmod(before)
