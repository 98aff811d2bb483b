"""Test that a backup with a changed byte is not restored."""

import shutil
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest

from homeshelf.moving.backup import Backup, back_up
from homeshelf.moving.restore import RestoreResult, restore
from homeshelf.table import BOOKS, HELPER, CannotOpen
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.copies import (
    Contents,
    digest_of,
    has_checksums,
    no_progress,
    read_contents,
)
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import CHECKSUMS, open_file
from tests.forked_processes import run
from tests.moving.households import (
    create_account,
    empty_file,
    execute_sql,
    hash_files,
    house_variables,
    refusal_of,
    run_backup,
)

BOOK_COUNT = 60
FLIP_COUNT = 150


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    """The backup of a house with books, a signing key and a record that expires."""
    database = tmp_path / "data" / "homeshelf.db"
    engine = Sqlite(empty_file(database))
    for number in range(BOOK_COUNT):
        keys = {"pk": f"USER#{number % 3}", "sk": f"BOOK#{number:03}", "gsi1pk": "a", "gsi1sk": "b"}
        await engine.write(Put(BOOKS, {**keys, "title": f"Wörterbuch {number} 📚", "page": number}))
    await engine.write(Put(HELPER, {"PK": "A", "SK": "B", "ttl": 4 * 10**9}))
    await engine.close()
    (tmp_path / "data" / "secret.key").write_text("A" * 43)
    make_backup(database, tmp_path / "monday.db")
    (tmp_path / "data" / "secret.key").unlink()
    database.unlink()
    empty_file(database)
    return tmp_path / "monday.db"


def make_backup(database: Path, target: Path) -> Backup:
    return back_up(database, database.with_name("secret.key"), target, None, no_progress)


def restore_over(backup: Path) -> RestoreResult:
    """Restore a backup over the existing house."""
    database = backup.parent / "data" / "homeshelf.db"
    return restore(backup, database, database.with_name("secret.key"), no_progress, over=True)


def contents_at(path: Path) -> Contents:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return read_contents(connection)


def flip_bit(file: Path, at: int, bit: int = 1) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= bit
    file.write_bytes(content)


def test_intact_backup_is_restored_without_its_checksums(backup: Path) -> None:
    before = contents_at(backup)
    assert restore_over(backup).had_checksums
    database = backup.parent / "data" / "homeshelf.db"
    assert contents_at(database) == before
    with closing(apsw.Connection(str(database))) as connection:
        assert not has_checksums(connection)


@pytest.mark.parametrize("bit", [1, 128])
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(b"rterbuch 7 ", id="a title"),
        pytest.param(b'"page":33', id="a number"),
        pytest.param("📚".encode(), id="half a character"),
        pytest.param(b"BOOK#041", id="a key"),
        pytest.param(b"A" * 42, id="the signing key"),
        pytest.param(b'"ttl" INTEGER', id="the name of a column"),
        pytest.param(b'"gsi1sk" TEXT', id="the name of a column that has an index"),
        pytest.param(b"BookTrackerTable", id="the name of a table"),
        pytest.param(b"Home", id="whose it is"),
    ],
)
def test_backup_with_a_flipped_bit_is_refused(backup: Path, place: bytes, bit: int) -> None:
    at = backup.read_bytes().rindex(place)
    flip_bit(backup, at + len(place) // 2, bit)
    before = hash_files(backup.parent)
    with pytest.raises(CannotOpen, match=r"monday\.db (is damaged|is nothing of|cannot be read)"):
        restore_over(backup)
    assert hash_files(backup.parent) == before


def test_backup_with_changed_or_missing_checksums_is_refused(backup: Path) -> None:
    whole = backup.read_bytes()
    with closing(apsw.Connection(str(backup))) as connection:
        kept = connection.execute(f"SELECT * FROM {CHECKSUMS}").fetchall()  # noqa: S608  # our name
    assert {"sqlite_master", BOOKS.name, HELPER.name} <= {name for name, _, _ in kept}
    for _, _, digest in kept:
        flip_bit(backup, whole.index(str(digest).encode()) + 11)
        with pytest.raises(CannotOpen, match="is damaged"):
            restore_over(backup)
        backup.write_bytes(whole)
    execute_sql(backup, f"DELETE FROM {CHECKSUMS}")  # noqa: S608  # our name
    with pytest.raises(CannotOpen, match="is damaged"):
        restore_over(backup)


def test_random_flipped_bits_are_refused_or_change_no_content(backup: Path) -> None:
    """Some bytes of a file have no meaning, such as the former content of a page."""
    dice, whole, before = Random(9), backup.read_bytes(), contents_at(backup)
    database, noticed = backup.parent / "data" / "homeshelf.db", 0
    there = database.read_bytes()
    for _ in range(FLIP_COUNT):
        at, bit = dice.randrange(len(whole)), 1 << dice.randrange(8)
        flip_bit(backup, at, bit)
        try:
            restore_over(backup)
        except CannotOpen:
            noticed += 1
            assert database.read_bytes() == there
        else:
            assert contents_at(database) == before, f"byte {at}, bit {bit}"
            database.write_bytes(there)
        backup.write_bytes(whole)
    assert noticed > FLIP_COUNT / 10


def test_backup_that_was_served_is_restored_with_its_changes(backup: Path) -> None:
    open_file(backup).close()
    execute_sql(backup, f"DELETE FROM {BOOKS.name} WHERE sk = 'BOOK#001'")  # noqa: S608  # our name
    assert not restore_over(backup).had_checksums
    assert contents_at(backup.parent / "data" / "homeshelf.db")[BOOKS.name][0] == BOOK_COUNT - 1


def test_backup_of_a_backup_has_checksums(backup: Path, tmp_path: Path) -> None:
    again = make_backup(backup, tmp_path / "again.db").file
    assert restore_over(again).had_checksums


def test_table_digest_is_stable() -> None:
    """Some characters are unknown to this version of Python."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE a(b TEXT, c INTEGER)")
    rows = [("Smör", 1), ("\U0001fae9 \U0001fadd\x00'\"", None), ("علبة", 2**60)]
    connection.executemany("INSERT INTO a VALUES (?, ?)", rows)
    digest = "49ef95489d0c28594e97b047b7dbfec30cac465b7143827651554342693a9ffa"
    assert digest_of(connection, "a") == (3, digest)


def test_backup_of_an_earlier_version_is_restored_with_a_remark(tmp_path: Path) -> None:
    variables = house_variables(tmp_path)
    create_account(tmp_path, variables)
    run_backup(tmp_path, variables, "monday.db")
    shutil.rmtree(tmp_path / "data")
    said = run(tmp_path, "restore", "monday.db", **variables).stdout
    assert "checksums" not in said
    execute_sql(tmp_path / "monday.db", f"DROP TABLE {CHECKSUMS}")
    done = run(tmp_path, "restore", "monday.db", "--over", **variables)
    assert done.returncode == 0
    assert done.stdout.count("It has no checksums, as backups of earlier versions") == 1


@pytest.mark.parametrize("command", ["verify", "copy"])
def test_verify_and_copy_refuse_damaged_backup(tmp_path: Path, backup: Path, command: str) -> None:
    flip_bit(backup, backup.read_bytes().index(b'"page":33') + 7)
    before = hash_files(tmp_path)
    ends = ("--from", "sqlite:///monday.db", "--to", "sqlite:///data/homeshelf.db")
    said = refusal_of(run(tmp_path, command, *ends, **house_variables(tmp_path)))
    assert said == "monday.db is damaged; nothing was changed."
    assert set(hash_files(tmp_path)) == set(before)
