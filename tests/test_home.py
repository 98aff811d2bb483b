"""Check that a member added without the API has the same records as one who joined by it."""

import json
import re
from typing import get_args

import pytest

from homeshelf.families.model import Role
from homeshelf.table import Database
from homeshelf.table.schema import TABLES
from tests.home import Home, new_home
from tests.running import Person, RunningApp

A_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
A_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.mark.usefixtures("moment")
@pytest.mark.parametrize("role", get_args(Role))
async def test_direct_membership_leaves_same_records_as_joining(
    running: RunningApp, role: Role
) -> None:
    first = await new_home(running, "Lovelace", "ada")
    joined = await running.person("kid", verified=True)
    await first.let_in(joined, role)
    before = await records(running.db)
    assert sum("INVITATION#" in each for each in before) == 1

    second = await new_home(running, "Babbage", "eda")
    put = await second.with_member("kit", role)
    after = await records(running.db)
    assert before <= after
    assert told(after - before, second, put) == told(before, first, joined)


async def records(db: Database) -> set[str]:
    found = [(table.name, await db.engine.scan(table, 1000)) for table in TABLES]
    return {
        f"{name} {json.dumps(item, sort_keys=True)}" for name, page in found for item in page.items
    }


def told(records: set[str], home: Home, person: Person) -> list[str]:
    """Return the records with placeholders for ids, digests and names."""
    names = {
        str(home.family["name"]): "OURS",
        home.family_id: "FAMILY-ID",
        home.admin.member_id: "ADMIN-ID",
        person.member_id: "PERSON-ID",
        f'"{home.admin.name}': '"ADMIN',
        f'"{person.name}': '"PERSON',
    }
    said = []
    for record in records:
        text = record
        for name, instead in names.items():
            text = text.replace(name, instead)
        said.append(A_DIGEST.sub("DIGEST", A_UUID.sub("AN-ID", text)))
    return sorted(said)
