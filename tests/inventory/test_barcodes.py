"""Barcodes: validation, ownership and lookup."""

import asyncio
from typing import Any

import pytest

from homeshelf.inventory.barcodes import BarcodeClaim, is_valid_barcode, unique_codes
from homeshelf.inventory.model import InventoryItem
from tests.api_client import (
    Shown,
    add_item,
    add_place,
    edit_item,
    get_all_pages,
    get_item,
    make_barcodes,
    set_archived,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home
from tests.pages import OURS
from tests.running import Person, RunningApp, problem_of

EAN_13, OTHER_EAN_13, EAN_8 = "4006381333931", "9780306406157", "96385074"
UPC_A, UPC_A_AS_EAN_13 = "036000291452", "0036000291452"
WRONG = "Barcode must be an EAN-8, EAN-13 or UPC-A with its check digit"


async def find_item(person: Person, code: str) -> str | None:
    """Return the id of the item that has the code."""
    answer = await person.get(f"/items/by-barcode/{code}")
    if answer.status_code == 200:
        assert answer.json() == await get_item(person, answer.json())
        return str(answer.json()["itemId"])
    assert problem_of(answer) == (404, "not_found")
    return None


async def barcode_holders(home: Home) -> dict[str, str]:
    """Return the holder of each barcode from the table."""
    every = await home.running.db.all(BarcodeClaim.where(family_id=home.family_id).up_to_date())
    return {claim.code: claim.holder for claim in every}


def test_check_digit_is_verified() -> None:
    for right in (EAN_13, OTHER_EAN_13, EAN_8, UPC_A, UPC_A_AS_EAN_13):
        assert is_valid_barcode(right)
        for place, digit in enumerate(right):
            another = str((int(digit) + 1) % 10)
            assert not is_valid_barcode(right[:place] + another + right[place + 1 :])


@pytest.mark.parametrize(
    "code", ["", "0", "0000000", "00036000291452", "٩٦٣٨٥٠٧٤", "9638507²", "-9638507", "9638507 "]
)
def test_code_of_unknown_length_is_invalid(code: str) -> None:
    assert not is_valid_barcode(code)


def test_first_spelling_of_equal_codes_is_kept() -> None:
    assert unique_codes([UPC_A, EAN_8, UPC_A_AS_EAN_13, EAN_8]) == [UPC_A, EAN_8]
    assert unique_codes([EAN_8, UPC_A_AS_EAN_13, UPC_A]) == [EAN_8, UPC_A_AS_EAN_13]


async def test_item_is_found_by_each_barcode(home: Home, kid: Person) -> None:
    item = await add_item(home.admin, barcodes=[f" {EAN_13} ", UPC_A, EAN_8])
    assert item["barcodes"] == [EAN_13, UPC_A, EAN_8]
    for code in (EAN_13, UPC_A, UPC_A_AS_EAN_13, EAN_8):
        assert await find_item(kid, code) == item["itemId"]
    for code in (
        OTHER_EAN_13,
        "4006381333932",
        "400638133393",
        f"00000{EAN_8}",
        "rice",
        "٩٦٣٨٥٠٧٤",
    ):
        assert await find_item(kid, code) is None


async def test_barcode_lookup_costs_two_reads(home: Home) -> None:
    await add_item(home.admin, barcodes=[EAN_8])
    with count_operations(home.running.db) as unknown:
        assert await find_item(home.admin, EAN_13) is None
    with count_operations(home.running.db) as malformed:
        assert await find_item(home.admin, "rice") is None
    with count_operations(home.running.db) as known:
        assert (await home.admin.get(f"/items/by-barcode/{EAN_8}")).status_code == 200
    assert [spent["get"] - malformed["get"] for spent in (unknown, known)] == [1, 2]
    assert not any(spent["query"] or spent["scan"] for spent in (unknown, known))


async def test_item_without_barcodes_omits_attribute(home: Home) -> None:
    db = home.running.db
    item = await add_item(home.admin)
    key = InventoryItem.key(family_id=home.family_id, item_id=item["itemId"])

    async def stored_item() -> Any:
        kept = await db.get(key)
        assert kept is not None
        assert kept.stored is not None
        return kept.stored.get("barcodes")

    assert await stored_item() is None
    await edit_item(home.admin, item, barcodes=[UPC_A])
    assert await stored_item() == [UPC_A]
    await edit_item(home.admin, item, barcodes=[])
    assert await stored_item() is None


@pytest.mark.parametrize("given", [UPC_A, UPC_A_AS_EAN_13])
async def test_equal_codes_belong_to_one_item(home: Home, given: str) -> None:
    rice = await add_item(home.admin, name="Rice", barcodes=[EAN_8, UPC_A])
    beans = await add_item(home.admin, name="Beans")
    new = await home.admin.post("/items", {"name": "Peas", "barcodes": [EAN_13, given]})
    asked = {"barcodes": [given, EAN_13], "name": "Peas", "version": 1}
    changed = await home.admin.patch(f"/items/{beans['itemId']}", asked)
    for answer in (new, changed):
        assert problem_of(answer) == (409, "duplicate")
        assert answer.json()["existing"] == rice
    assert await get_item(home.admin, beans) == beans
    assert len(await get_all_pages(home.admin, "/items", 100)) == 2
    assert await barcode_holders(home) == dict.fromkeys([EAN_8, UPC_A_AS_EAN_13], rice["itemId"])


async def test_two_families_may_use_the_same_code(home: Home, neighbour: Person) -> None:
    ours = await add_item(home.admin, barcodes=[EAN_13])
    assert await find_item(neighbour, EAN_13) is None
    theirs = await add_item(neighbour, barcodes=[EAN_13])
    assert await find_item(home.admin, EAN_13) == ours["itemId"]
    assert await find_item(neighbour, EAN_13) == theirs["itemId"]


async def test_other_family_cannot_look_up_code(
    home: Home, gone: Person, running: RunningApp
) -> None:
    await add_item(home.admin, barcodes=[EAN_13])
    path = f"/items/by-barcode/{EAN_13}"
    assert problem_of(await running.visitor().get(path)) == (401, "unauthenticated")
    assert problem_of(await gone.get(path)) == (403, "no_family")


async def test_edit_claims_new_codes_and_releases_old_ones(home: Home) -> None:
    item = await add_item(home.admin, barcodes=[EAN_13, EAN_8])
    changed = await edit_item(home.admin, item, barcodes=[EAN_8, UPC_A])
    assert changed == item | {
        "barcodes": [EAN_8, UPC_A],
        "version": 2,
        "updatedAt": changed["updatedAt"],
    }
    assert await barcode_holders(home) == dict.fromkeys([EAN_8, UPC_A_AS_EAN_13], item["itemId"])
    other = await add_item(home.admin, name="Beans", barcodes=[EAN_13])
    assert await find_item(home.admin, EAN_13) == other["itemId"]


async def test_other_spelling_of_own_code_keeps_claim(home: Home) -> None:
    item = await add_item(home.admin, barcodes=[UPC_A])
    changed = await edit_item(home.admin, item, barcodes=[UPC_A_AS_EAN_13])
    assert (changed["barcodes"], changed["version"]) == ([UPC_A_AS_EAN_13], 2)
    assert await barcode_holders(home) == {UPC_A_AS_EAN_13: item["itemId"]}
    same = await edit_item(home.admin, item, barcodes=[UPC_A_AS_EAN_13, UPC_A])
    assert same == changed


@pytest.mark.parametrize("nothing", [[], None])
async def test_edit_clears_codes(home: Home, nothing: Any) -> None:
    item = await add_item(home.admin, barcodes=[EAN_13, EAN_8])
    assert (await edit_item(home.admin, item, name="Oats"))["barcodes"] == [EAN_13, EAN_8]
    assert (await edit_item(home.admin, item, barcodes=nothing))["barcodes"] == []
    assert await barcode_holders(home) == {}
    assert await find_item(home.admin, EAN_13) is None


async def test_archived_item_keeps_codes(home: Home) -> None:
    item = await add_item(home.admin, barcodes=[EAN_13])
    archived = await set_archived(home.admin, item, "archive")
    assert await find_item(home.admin, EAN_13) == item["itemId"]
    answer = await home.admin.post("/items", {"name": "Beans", "barcodes": [EAN_13]})
    assert (problem_of(answer), answer.json()["existing"]) == ((409, "duplicate"), archived)
    assert (await set_archived(home.admin, item, "unarchive"))["barcodes"] == [EAN_13]


async def test_deleted_item_releases_codes(home: Home) -> None:
    item = await add_item(home.admin, barcodes=[EAN_13, UPC_A])
    assert (await home.admin.delete(f"/items/{item['itemId']}")).status_code == 204
    assert (await barcode_holders(home), await find_item(home.admin, EAN_13)) == ({}, None)
    again = await add_item(home.admin, barcodes=[EAN_13, UPC_A])
    assert await find_item(home.admin, UPC_A) == again["itemId"]


async def test_deleted_family_leaves_no_barcode_claims(home: Home) -> None:
    await add_item(home.admin, barcodes=[EAN_13, UPC_A])
    answer = await home.admin.delete("/me", {"password": home.admin.password})
    assert answer.status_code == 204
    assert await barcode_holders(home) == {}


async def test_concurrent_claims_give_code_to_one_item(home: Home) -> None:
    async def add(number: int) -> Any:
        return await home.admin.post("/items", {"name": f"Rice {number}", "barcodes": [EAN_13]})

    answers = await asyncio.gather(*(add(number) for number in range(6)))
    made = [answer.json() for answer in answers if answer.status_code == 201]
    refused = [answer for answer in answers if answer.status_code != 201]
    assert (len(made), len(refused)) == (1, 5)
    for answer in refused:
        assert (problem_of(answer), answer.json()["existing"]) == ((409, "duplicate"), made[0])
    assert await get_all_pages(home.admin, "/items", 100) == made


async def test_concurrent_swap_never_gives_code_to_two_items(home: Home) -> None:
    holder = await add_item(home.admin, barcodes=[EAN_13])
    others = [await add_item(home.admin, name=f"Beans {n}") for n in range(4)]
    await asyncio.gather(
        home.admin.delete(f"/items/{holder['itemId']}"),
        *(
            home.admin.patch(f"/items/{each['itemId']}", {"barcodes": [EAN_13], "version": 1})
            for each in others
        ),
    )
    having = [
        item["itemId"]
        for item in await get_all_pages(home.admin, "/items", 100)
        if item["barcodes"] == [EAN_13]
    ]
    assert len(having) <= 1
    assert await barcode_holders(home) == ({EAN_13: having[0]} if having else {})


async def test_each_invalid_code_is_reported(home: Home) -> None:
    wrong = [EAN_13, "4006381333932", 5, "12345", "٩٦٣٨٥٠٧٤", None]
    item = await add_item(home.admin)
    for answer in (
        await home.admin.post("/items", {"name": "Rice", "barcodes": wrong}),
        await home.admin.patch(f"/items/{item['itemId']}", {"barcodes": wrong, "version": 1}),
    ):
        assert problem_of(answer) == (400, "validation")
        assert answer.json()["errors"] == [
            {"field": f"barcodes.{at}", "message": WRONG} for at in range(1, len(wrong))
        ]
    assert await barcode_holders(home) == {}


async def test_item_has_at_most_ten_codes(home: Home) -> None:
    codes = make_barcodes(11)
    assert (await add_item(home.admin, barcodes=codes[:10]))["barcodes"] == codes[:10]
    answer = await home.admin.post("/items", {"name": "Rice", "barcodes": codes})
    assert answer.json()["errors"] == [
        {"field": "barcodes", "message": "Barcodes must be a list of up to 10"}
    ]


async def test_edit_replaces_ten_codes_in_one_transaction(home: Home) -> None:
    """The edit replaces ten codes, 21 stores, a location, a name with tags, and a notice."""
    codes = make_barcodes(20)
    item = await add_item(home.admin, barcodes=codes[:10])
    for _ in range(25):
        made = await home.admin.post(f"/items/{item['itemId']}/nfc-urls")
        assert made.status_code == 201
    shops = [await add_place(home.admin, "stores", f"Shop {n}") for n in range(21)]
    store_ids = [shop["storeId"] for shop in shops]
    pantry = await add_place(home.admin, "locations", "Pantry")
    changed = await edit_item(
        home.admin,
        item,
        name="Oats",
        threshold=3,
        barcodes=codes[10:],
        preferredStoreId=store_ids[0],
        alternateStoreIds=store_ids[1:],
        locationId=pantry["locationId"],
    )
    assert (changed["barcodes"], changed["isLowStock"]) == (codes[10:], True)
    assert await barcode_holders(home) == dict.fromkeys(codes[10:], item["itemId"])


async def test_form_without_code_fields_keeps_codes(home: Home) -> None:
    item = await add_item(home.admin, barcodes=[EAN_13])
    typed = {"name": "Oats", "threshold": "2", "version": "1"}
    path = f"/stock/{item['itemId']}/edit"
    page = await home.admin.client.post(path, data=typed, headers=OURS)
    assert page.status_code == 303
    now: Shown = await get_item(home.admin, item)
    assert (now["name"], now["barcodes"]) == ("Oats", [EAN_13])


async def test_suggester_cannot_change_codes(home: Home, kid: Person) -> None:
    item = await add_item(home.admin, barcodes=[EAN_13])
    for path in (f"/items/{item['itemId']}", f"/items/{NOBODYS}"):
        answer = await kid.patch(path, {"barcodes": [], "version": 1})
        assert problem_of(answer) == (403, "forbidden")
    assert await barcode_holders(home) == {EAN_13: item["itemId"]}
