"""A file that is broken, forged or of something else changes nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.app import SLICES
from homeshelf.commands.files import import_records
from homeshelf.moving import file_import
from homeshelf.moving.file_import import BadFile, read_file
from homeshelf.table import TABLES
from tests.home import NOBODYS, Home, new_home
from tests.moving.houses import (
    Exported,
    TwoHouses,
    elsewhere,
    everything,
    file_of,
    furnished,
    moved,
    two_houses,
    with_what_comes_with_time,
)
from tests.running import Person, RunningApp

__all__ = ["elsewhere", "two_houses"]


@pytest.fixture(scope="module")
async def text(two_houses: TwoHouses) -> bytes:
    """The file of a family that has one of everything."""
    home = await new_home(two_houses.here, "Lovelace", "ada")
    kid = await home.with_member("kid", "suggester")
    await with_what_comes_with_time(home, await furnished(home, kid))
    return await file_of(home)


async def is_refused(text: bytes, there: RunningApp, why: str) -> None:
    with pytest.raises(BadFile, match=why):
        await import_records(there.services, read_file(text, SLICES))
    assert await everything(there.db) == [[]] * len(TABLES)


def without_family(file: Exported) -> None:
    file["records"]["Family"] = []


def without_parents(file: Exported) -> None:
    for member in file["records"]["Member"]:
        member["role"] = "suggester"


def twice(file: Exported) -> None:
    file["records"]["InventoryItem"] *= 2


def somebody_elses(file: Exported) -> None:
    file["records"]["InventoryItem"][0]["familyId"] = clock.new_id()


def tag_twice(file: Exported) -> None:
    (tag,) = file["records"]["NFCUrl"]
    file["records"]["NFCUrl"].append({**tag, "itemId": clock.new_id()})


def nested(times: int) -> Any:
    return json.loads("[" * times + "]" * times)


def a_hash(name: str, attribute: str) -> Callable[[Exported], None]:
    def add(file: Exported) -> None:
        file["records"][name][0][attribute] = "smuggled"

    return add


def changed(kind: str, **values: Any) -> Callable[[Exported], None]:
    def change(file: Exported) -> None:
        file["records"][kind][0].update(values)

    return change


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda file: file.update(homeshelf="pantry"), "not an export of Homeshelf"),
        (lambda file: file.pop("records"), "not an export of Homeshelf"),
        (lambda file: file.update(format=2), "newer Homeshelf"),
        (lambda file: file.update(id="FAMILY#1"), "does not name its family or person"),
        (lambda file: file["records"].update(Session=[{}]), "unknown kinds: Session"),
        (lambda file: file["records"].update(Member={}), "Member entries that are not records"),
        (without_family, "there is not one family in it"),
        (without_parents, "the family has no parent"),
        (twice, "the same record twice"),
        (somebody_elses, "a record of somebody else"),
        (a_hash("Account", "passwordHash"), "Account has no passwordHash"),
        (a_hash("Invitation", "secretHash"), "Invitation has no secretHash"),
        (a_hash("SignInLink", "secretHash"), "SignInLink has no secretHash"),
        (a_hash("InventoryItem", "PK"), "InventoryItem has no PK"),
        (changed("InventoryItem", quantity="many"), "InventoryItem has quantity"),
        (changed("InventoryItem", quantity=-1), "a count that cannot be"),
        (changed("InventoryItem", quantity=10**12), "a count that cannot be"),
        (changed("InventoryItem", itemId="a#b"), "itemId is nothing that a key can hold"),
        (changed("InventoryItem", name="x" * 500_000), "a record of"),
        (changed("InventoryItem", createdAt="yesterday"), "Invalid isoformat"),
        (changed("Member", memberId="me"), "memberId that cannot be"),
        (changed("Account", memberId=NOBODYS), "is no member of the family"),
        (changed("NFCUrl", urlId="../../x"), "an address that none can have"),
        (tag_twice, "two of its tags have the same address"),
        (changed("SignInLink", memberId=NOBODYS), "a sign-in link is for nobody in the family"),
        (changed("Account", families=[NOBODYS]), "Account has no families"),
        (changed("Account", emailVerified=True), "Account has no emailVerified"),
        (changed("Account", issuer="https://id.example", subject="ada"), "has no issuer, subject"),
        (changed("Account", era=0), "Account has no era"),
        (changed("Family", admins=9), "Family has no admins"),
        (changed("Member", familyId=NOBODYS), "a record of somebody else"),
        (changed("Member", GSI1PK="MEMBER#somebody"), "Member has no GSI1PK"),
        (changed("Member", role="owner"), r"Member has role \(literal_error\)"),
        (changed("StorageLocation", name="x" * 2000), "longer than 1024 bytes"),
        (changed("StorageLocation", name="  "), "nothing that a key can hold"),
        (changed("ShoppingListItem", name={"a": 1}), "ShoppingListItem has name"),
        (changed("QuantityChange", ttl=10**30), "whole seconds"),
        (changed("Member", createdAt="0001-01-01T00:00:00+14:00"), "createdAt that cannot be"),
        (changed("QuantityChange", at="yesterday"), "Invalid isoformat"),
        (changed("QuantityChange", at="2026-01-01"), "at that cannot be"),
        (changed("WeekOfTaps", week="the first"), "Invalid isoformat"),
        (changed("Suggestion", notes=nested(900)), "Suggestion has notes|nested too deeply"),
        (changed("InventoryItem", name="\ud800"), "not a complete export|valid Unicode"),
    ],
)
async def test_a_broken_file_changes_nothing(
    text: bytes, two_houses: TwoHouses, spoil: Callable[[Exported], None], why: str
) -> None:
    file = json.loads(text)
    spoil(file)
    await is_refused(json.dumps(file).encode(), two_houses.there, why)


def with_quantity(text: bytes, number: str) -> bytes:
    file = json.loads(text)
    file["records"]["InventoryItem"][0]["quantity"] = "@"
    return json.dumps(file).replace('"@"', number).encode()


@pytest.mark.parametrize(
    "number", ["1e999999999", "-1e-999999999", "1" + "0" * 5000, "1e308", "NaN"]
)
async def test_a_number_that_nobody_can_keep_takes_no_time(
    text: bytes, two_houses: TwoHouses, number: str
) -> None:
    why = r"not a complete export|count that cannot|quantity"
    await is_refused(with_quantity(text, number), two_houses.there, why)


async def test_nothing_is_a_number_however_it_is_written(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    await moved(home, elsewhere, with_quantity(await file_of(home), "-0.0e5"))


def test_a_file_of_any_size_is_not_read_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "MAX_FILE_BYTES", 10)
    with pytest.raises(BadFile, match="too large to import"):
        read_file(b" " * 11, SLICES)


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"[]", b"\xff\xfe", b"[" * 100_000, b"{}"])
def test_what_is_no_export_is_refused(text: bytes) -> None:
    with pytest.raises(BadFile, match=r"not an? (complete )?export"):
        read_file(text, SLICES)


async def test_half_a_file_is_refused(text: bytes) -> None:
    with pytest.raises(BadFile, match="not a complete export"):
        read_file(text[: len(text) // 2], SLICES)
