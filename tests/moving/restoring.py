"""A house with a backup, and what is in it after the backup was restored."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.moving.houses import backed_up, house_in, with_account


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    return house_in(tmp_path)


@pytest.fixture
def backup(tmp_path: Path, variables: dict[str, str]) -> Path:
    """Of a house in which Ada has an account; it is still there."""
    with_account(tmp_path, variables)
    (tmp_path / "data" / "secret.key").write_text("A" * 43)
    backed_up(tmp_path, variables, "backup.db")
    return tmp_path / "backup.db"


def number_in(path: Path, question: str) -> int:
    with closing(apsw.Connection(str(path))) as connection:
        return int(connection.execute(question).get)


def families_in(path: Path) -> list[str]:
    found = "SELECT item ->> '$.name' FROM InventoryManagement WHERE SK LIKE 'FAMILY#%'"
    with closing(apsw.Connection(str(path))) as connection:
        return [name for (name,) in connection.execute(found)]
