"""Test that a broken, forged or unrelated file changes nothing."""

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
from tests.moving.households import (
    Exported,
    TwoHouses,
    add_later_records,
    all_records,
    export_family,
    fill_household,
    import_family,
    other_house,
    two_houses,
)
from tests.running import Person, RunningApp

__all__ = ["other_house", "two_houses"]


@pytest.fixture(scope="module")
async def text(two_houses: TwoHouses) -> bytes:
    """The file of a family with one record of every kind."""
    home = await new_home(two_houses.here, "Lovelace", "ada")
    kid = await home.with_member("kid", "suggester")
    await add_later_records(home, await fill_household(home, kid))
    return await export_family(home)


async def assert_import_is_refused(text: bytes, there: RunningApp, why: str) -> None:
    with pytest.raises(BadFile, match=why):
        await import_records(there.services, read_file(text, SLICES))
    assert await all_records(there.db) == [[]] * len(TABLES)


def without_family(file: Exported) -> None:
    file["records"]["Family"] = []


def without_parents(file: Exported) -> None:
    for member in file["records"]["Member"]:
        member["role"] = "suggester"


def with_duplicate_items(file: Exported) -> None:
    file["records"]["InventoryItem"] *= 2


def with_record_of_other_family(file: Exported) -> None:
    file["records"]["InventoryItem"][0]["familyId"] = clock.new_id()


def with_duplicate_tag(file: Exported) -> None:
    (tag,) = file["records"]["NFCUrl"]
    file["records"]["NFCUrl"].append({**tag, "itemId": clock.new_id()})


def nested_list(times: int) -> Any:
    return json.loads("[" * times + "]" * times)


def with_attribute(name: str, attribute: str) -> Callable[[Exported], None]:
    def add(file: Exported) -> None:
        file["records"][name][0][attribute] = "smuggled"

    return add


def with_values(kind: str, **values: Any) -> Callable[[Exported], None]:
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
        (with_duplicate_items, "the same record twice"),
        (with_record_of_other_family, "a record of somebody else"),
        (with_attribute("Account", "passwordHash"), "Account has no passwordHash"),
        (with_attribute("Invitation", "secretHash"), "Invitation has no secretHash"),
        (with_attribute("SignInLink", "secretHash"), "SignInLink has no secretHash"),
        (with_attribute("InventoryItem", "PK"), "InventoryItem has no PK"),
        (with_values("InventoryItem", quantity="many"), "InventoryItem has quantity"),
        (with_values("InventoryItem", quantity=-1), "a count that cannot be"),
        (with_values("InventoryItem", quantity=10**12), "a count that cannot be"),
        (with_values("InventoryItem", itemId="a#b"), "itemId is nothing that a key can hold"),
        (with_values("InventoryItem", name="x" * 500_000), "a record of"),
        (with_values("InventoryItem", createdAt="yesterday"), "Invalid isoformat"),
        (with_values("Member", memberId="me"), "memberId that cannot be"),
        (with_values("Account", memberId=NOBODYS), "is no member of the family"),
        (with_values("NFCUrl", urlId="../../x"), "an address that none can have"),
        (with_duplicate_tag, "two of its tags have the same address"),
        (with_values("SignInLink", memberId=NOBODYS), "a sign-in link is for nobody in the family"),
        (with_values("Account", families=[NOBODYS]), "Account has no families"),
        (with_values("Account", emailVerified=True), "Account has no emailVerified"),
        (
            with_values("Account", issuer="https://id.example", subject="ada"),
            "has no issuer, subject",
        ),
        (with_values("Account", era=0), "Account has no era"),
        (with_values("Family", admins=9), "Family has no admins"),
        (with_values("Member", familyId=NOBODYS), "a record of somebody else"),
        (with_values("Member", GSI1PK="MEMBER#somebody"), "Member has no GSI1PK"),
        (with_values("Member", role="owner"), r"Member has role \(literal_error\)"),
        (with_values("StorageLocation", name="x" * 2000), "longer than 1024 bytes"),
        (with_values("StorageLocation", name="  "), "nothing that a key can hold"),
        (with_values("ShoppingListItem", name={"a": 1}), "ShoppingListItem has name"),
        (with_values("QuantityChange", ttl=10**30), "whole seconds"),
        (with_values("Member", createdAt="0001-01-01T00:00:00+14:00"), "createdAt that cannot be"),
        (with_values("QuantityChange", at="yesterday"), "Invalid isoformat"),
        (with_values("QuantityChange", at="2026-01-01"), "at that cannot be"),
        (with_values("WeekOfTaps", week="the first"), "Invalid isoformat"),
        (
            with_values("Suggestion", notes=nested_list(900)),
            "Suggestion has notes|nested too deeply",
        ),
        (with_values("InventoryItem", name="\ud800"), "not a complete export|valid Unicode"),
    ],
)
async def test_import_of_broken_file_changes_nothing(
    text: bytes, two_houses: TwoHouses, spoil: Callable[[Exported], None], why: str
) -> None:
    file = json.loads(text)
    spoil(file)
    await assert_import_is_refused(json.dumps(file).encode(), two_houses.there, why)


def with_quantity(text: bytes, number: str) -> bytes:
    file = json.loads(text)
    file["records"]["InventoryItem"][0]["quantity"] = "@"
    return json.dumps(file).replace('"@"', number).encode()


@pytest.mark.parametrize(
    "number", ["1e999999999", "-1e-999999999", "1" + "0" * 5000, "1e308", "NaN"]
)
async def test_import_refuses_huge_numbers(text: bytes, two_houses: TwoHouses, number: str) -> None:
    why = r"not a complete export|count that cannot|quantity"
    await assert_import_is_refused(with_quantity(text, number), two_houses.there, why)


async def test_import_accepts_any_form_of_zero(
    home: Home, kid: Person, other_house: RunningApp
) -> None:
    await fill_household(home, kid)
    await import_family(home, other_house, with_quantity(await export_family(home), "-0.0e5"))


def test_file_over_the_size_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "MAX_FILE_BYTES", 10)
    with pytest.raises(BadFile, match="too large to import"):
        read_file(b" " * 11, SLICES)


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"[]", b"\xff\xfe", b"[" * 100_000, b"{}"])
def test_file_that_is_no_export_is_refused(text: bytes) -> None:
    with pytest.raises(BadFile, match=r"not an? (complete )?export"):
        read_file(text, SLICES)


async def test_truncated_export_is_refused(text: bytes) -> None:
    with pytest.raises(BadFile, match="not a complete export"):
        read_file(text[: len(text) // 2], SLICES)
