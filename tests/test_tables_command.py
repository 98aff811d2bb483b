"""Test `homeshelf tables` on both engines."""

from pathlib import Path

import apsw
import pytest

from tests.forked_processes import run
from tests.servers import Server

NEWER = "made by a newer Homeshelf"


def tables(verb: str, database: str, **environment: str) -> tuple[int, str, str]:
    done = run(Path(), "tables", verb, HOMESHELF_DATABASE=database, **environment)
    return done.returncode, done.stdout, done.stderr


def at(server: Server, prefix: str) -> str:
    options = f"endpoint={server.endpoint}&prefix={prefix}&prefixes={server.prefixes}"
    return f"dynamodb://{server.region}?{options}"


def keys_of(server: Server) -> dict[str, str]:
    return {"AWS_ACCESS_KEY_ID": server.access_key, "AWS_SECRET_ACCESS_KEY": server.secret_key}


def test_embedded_engine_creates_its_tables_itself(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/shelf.db"
    assert tables("create", database) == (0, "All tables are there.\n", "")
    assert tables("check", database) == (0, "The tables are as they should be.\n", "")
    assert "HomeshelfHelper" in tables("list", database)[1]


def test_tables_on_a_server_are_reported_created_and_checked(extenddb: Server) -> None:
    database, keys = at(extenddb, "command-"), keys_of(extenddb)
    code, said, _ = tables("check", database, **keys)
    assert code == 1
    assert "The table command-InventoryManagement is missing." in said
    code, said, _ = tables("create", database, **keys)
    assert (code, said.count("Made ")) == (0, 5)
    assert tables("create", database, **keys) == (0, "All tables are there.\n", "")
    assert tables("check", database, **keys) == (0, "The tables are as they should be.\n", "")


@pytest.mark.parametrize("wrong", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_wrong_credentials_are_one_sentence(extenddb: Server, wrong: str) -> None:
    keys = keys_of(extenddb) | {wrong: "somebodyelses"}
    code, said, complaint = tables("list", at(extenddb, "command-"), **keys)
    assert (code, said, complaint.count("\n")) == (2, "", 1)
    assert "does not accept the AWS credentials" in complaint


@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("mongodb://x", "must start with sqlite:/// or dynamodb://"),
        ("dynamodb://here?endpoint=http://127.0.0.1:9", "cannot be reached"),
        ("sqlite:////proc/shelf.db", "cannot be written"),
        ("sqlite:///{folder}/letter.txt", "is not a Homeshelf database"),
        ("sqlite:///{folder}/newer.db", NEWER),
    ],
)
def test_unreadable_file_is_reported_in_one_sentence_and_left_unchanged(
    tmp_path: Path, database: str, sentence: str
) -> None:
    letter, newer = tmp_path / "letter.txt", tmp_path / "newer.db"
    letter.write_text("Dear Ada, " * 1000)
    assert tables("create", f"sqlite:///{newer}")[0] == 0
    apsw.Connection(str(newer)).pragma("user_version", 999)
    before = letter.read_bytes(), newer.read_bytes()
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    code, said, complaint = tables("check", database.format(folder=tmp_path), **keys)
    assert (code, said, complaint.count("\n")) == (2, "", 1)
    assert sentence in complaint
    assert (letter.read_bytes(), newer.read_bytes()) == before
