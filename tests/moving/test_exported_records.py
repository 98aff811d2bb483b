"""Test that every record is exported or left out with a reason."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from homeshelf.app import SLICES
from homeshelf.coordination.attempts import Attempts, KnownAddress
from homeshelf.coordination.belongings import UNDER_WAY, Belonging, Owner
from homeshelf.coordination.changes import Change
from homeshelf.coordination.idempotency import StoredResponse
from homeshelf.coordination.leases import Lease
from homeshelf.coordination.signing_keys import Secret
from homeshelf.coordination.todos import Todo
from homeshelf.moving.export import ENTITY, belongings_of
from homeshelf.moving.file_import import OWNER_IDS
from homeshelf.moving.progress_marks import CopyMark, ImportMark
from homeshelf.outbox.channels import address_kinds
from homeshelf.outbox.model import Letter
from homeshelf.outbox.notifications import DailyNotification
from homeshelf.table import INVENTORY, Record
from homeshelf.web.forwarding import UnnamedProxy
from homeshelf.web.services import Slice
from scripts.records_page import every_record
from tests.rooms import SLICES as NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "backup-and-restore.md").read_text()
BELONGINGS = [belonging for each in SLICES for belonging in each.belongings]
SECRET = re.compile("hash|secret|passcode|password|digest|token|issuer|subject|salt")

HOUSE_RECORDS: Mapping[type[Record], str] = {
    Change: "It tells those who listen, and is gone in an hour.",
    StoredResponse: "It answers a request that is sent twice, for a day.",
    Lease: UNDER_WAY,
    Todo: UNDER_WAY,
    Letter: "It is mail that waits, and is sent from here.",
    DailyNotification: "It is mail that waits, and is sent from here.",
    CopyMark: UNDER_WAY,
    ImportMark: UNDER_WAY,
    Attempts: "It says who tried to get in here.",
    KnownAddress: "It says from where somebody got in here.",
    UnnamedProxy: "It is about this machine.",
    Secret: "It signs what this house hands out.",
    **dict.fromkeys(address_kinds(), "It may be secret, and is typed anew elsewhere."),
}
"""Records that belong to no slice and are in no file of a family or a person."""


def test_every_record_is_exported_or_left_out_with_a_reason() -> None:
    going = {belonging.kind for belonging in BELONGINGS}
    staying = Counter([*HOUSE_RECORDS, *(kind for each in SLICES for kind in each.left_out)])
    assert {*going, *staying} == {*every_record()}
    assert not going & staying.keys()
    assert set(staying.values()) == {1}


@pytest.mark.parametrize("each", SLICES, ids=lambda each: each.name)
def test_each_slice_lists_its_own_records(each: Slice) -> None:
    """The export of a family also includes the accounts of its members."""
    own = [kind for kind in every_record() if kind.__module__.startswith(f"homeshelf.{each.name}.")]
    said = [*each.left_out, *(of.kind for of in each.belongings)]
    assert set(own) <= set(said)
    assert {kind.__name__ for kind in said if kind not in own} <= {"Account"}


def test_house_records_belong_to_no_slice() -> None:
    rooms = {kind.__module__.split(".")[1] for kind in HOUSE_RECORDS}
    assert not rooms & set(NAMES)


def test_reasons_are_sentences() -> None:
    reasons = [*HOUSE_RECORDS.values(), *(why for each in SLICES for why in each.left_out.values())]
    assert [why for why in reasons if not re.fullmatch(r"[A-Z].+\.", why)] == []


@pytest.mark.parametrize("belonging", BELONGINGS, ids=lambda of: f"{of.kind.__name__} {of.owner}")
def test_exported_attributes_hold_no_secrets(belonging: Belonging) -> None:
    going = {name for name in belonging.kind.aliases if name not in (*belonging.without, ENTITY)}
    assert [name for name in going if SECRET.search(name)] == []
    assert set(belonging.without) <= set(belonging.kind.aliases)


def test_every_inventory_record_is_exported_with_its_family() -> None:
    going = {belonging.kind for belonging in BELONGINGS if belonging.owner == "family"}
    among = {kind for kind in every_record() if kind.table is INVENTORY}
    assert among <= going


WITHOUT_OWNER_KEY = {"Account", "SignInLink", "Shareable", "ChecklistItem"}
"""Records whose key does not contain their owner: `moves_in` of their slice finds the owner."""


@pytest.mark.parametrize("belonging", BELONGINGS, ids=lambda of: f"{of.kind.__name__} {of.owner}")
def test_imported_records_have_their_owner_in_the_key(belonging: Belonging) -> None:
    kind = belonging.kind
    partition = kind.keys[kind.table.partition]
    ids = [
        f"{{{kind.aliases[name]}}}" for name in OWNER_IDS[belonging.owner] if name in kind.aliases
    ]
    assert any(each in partition for each in ids) or kind.__name__ in WITHOUT_OWNER_KEY


@pytest.mark.parametrize("owner", ["family", "person"])
def test_documentation_lists_the_exported_records(owner: Owner) -> None:
    (row,) = re.findall(rf"^\| {owner} \| (.+) \|$", PAGE, re.MULTILINE)
    going = {belonging.kind.__name__ for belonging in belongings_of(SLICES, owner)}
    assert set(re.findall(r"`(\w+)`", row)) == going
