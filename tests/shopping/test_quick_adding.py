"""Test adding typed entries without scripts. Refused text stays in its field."""

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_purchased_entry,
    entry_page_path,
    get_all_pages,
    get_entry,
)
from tests.home import Home
from tests.pages import led_to, read, see, send
from tests.running import Person


async def test_typed_entry_is_added_to_list(home: Home) -> None:
    answer = await send(home.admin, "/list/add", text="2 oat milk")
    assert (answer.status_code, answer.headers["location"]) == (303, "/list")
    (entry,) = await get_all_pages(home.admin, "/shopping-list", 100)
    assert (entry["name"], entry["quantity"]) == ("oat milk", 2)


@pytest.mark.parametrize(
    "text",
    [
        "m" * 101,
        f"2 {'m' * 101}",
        "m" * 121,
        " ",
        "\u200b",
        "2x \u200b",
        "tea, \u2800 x3",
        ", ;",
    ],
)
async def test_long_or_invisible_text_is_refused_and_stays(home: Home, text: str) -> None:
    answer = await send(home.admin, "/list/add", text=text)
    assert answer.status_code == 400
    assert f'value="{text}"' in answer.text
    assert 'id="wrong"' in answer.text
    assert await get_all_pages(home.admin, "/shopping-list", 100) == []


@pytest.mark.parametrize(
    "text", ["milk, \u200b", "\ufeff\nmilk\n\u200b\n", "\u200b;milk", "\u2800\t milk \u060c\u200b"]
)
async def test_invisible_entry_is_ignored(home: Home, text: str) -> None:
    assert led_to(await send(home.admin, "/list/add", text=text)) == "/list"
    assert await list_rows(home) == [("milk", None, None)]


async def test_name_of_a_hundred_letters_with_quantity_is_accepted(home: Home) -> None:
    await send(home.admin, "/list/add", text=f"999 {'m' * 100}")
    (entry,) = await get_all_pages(home.admin, "/shopping-list", 100)
    assert (entry["name"], entry["quantity"]) == ("m" * 100, 999)


async def test_child_cannot_add_entries(home: Home, kid: Person) -> None:
    assert (await send(kid, "/list/add", text="sweets")).status_code == 403
    assert 'action="/list/add"' not in await see(kid, "/list")
    assert await get_all_pages(home.admin, "/shopping-list", 100) == []


async def list_rows(home: Home) -> list[tuple[str, int | None, str | None]]:
    found = await get_all_pages(home.admin, "/shopping-list", 100)
    entries = [(it["name"], it["quantity"], it["notes"]) for it in found]
    return sorted(entries, key=lambda entry: (entry[0], entry[1] or 0))


async def test_typed_amount_becomes_notes_of_linked_entry(home: Home) -> None:
    mince = await add_item(home.admin, name="Mince")
    await send(home.admin, "/list/add", text="500 g mince")
    (entry,) = await get_all_pages(home.admin, "/shopping-list", 100)
    assert (entry["itemId"], entry["name"]) == (mince["itemId"], "Mince")
    assert (entry["quantity"], entry["notes"]) == (None, "500 g")


async def test_number_after_known_name_is_the_quantity(home: Home) -> None:
    await add_item(home.admin, name="Crème")
    await add_purchased_entry(home.admin, name="Cake")
    for text in ("creme 2", "cake 3", "pie 4"):
        await send(home.admin, "/list/add", text=text)
    assert await list_rows(home) == [
        ("Cake", None, None),
        ("Crème", 2, None),
        ("cake", 3, None),
        ("pie 4", None, None),
    ]


async def test_typed_accents_choose_between_similar_items(
    home: Home,
) -> None:
    items = [await add_item(home.admin, name=name) for name in ("Pate", "Pâté")]
    for item in items:
        await send(home.admin, "/list/add", text=item["name"])
    found = await get_all_pages(home.admin, "/shopping-list", 100)
    assert {it["itemId"] for it in found} == {it["itemId"] for it in items}


async def test_three_typed_entries_are_added_without_review(home: Home) -> None:
    answer = await send(home.admin, "/list/add", text="milk, 2 bread\n1,5 l juice")
    assert answer.status_code == 303
    assert await list_rows(home) == [
        ("bread", 2, None),
        ("juice", None, "1,5 l"),
        ("milk", None, None),
    ]


async def test_many_entries_are_reviewed_before_they_are_added(home: Home, market: Shown) -> None:
    at = market["storeId"]
    text = "milk, 2 bread, 500 g mince, tea"
    page = read(home.admin, await send(home.admin, "/list/add", text=text, storeId=at))
    assert page.in_order("4 items for the list", "milk", "bread 2", "mince", "500 g", "tea")
    assert await list_rows(home) == []
    answer = await page.send("/list/add")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/list?at={at}")
    found = await get_all_pages(home.admin, "/shopping-list", 100)
    assert {it["storeId"] for it in found} == {at}
    assert len(found) == 4


async def test_at_most_one_hundred_entries_are_added(home: Home) -> None:
    answer = await send(home.admin, "/list/add", text="\n".join(map(str, range(101))), seen="1")
    assert answer.status_code == 400
    assert "up to 100 items" in answer.text
    assert await list_rows(home) == []
    answer = await send(home.admin, "/list/add", text="\n".join(map(str, range(100))), seen="1")
    assert answer.status_code == 303
    assert len(await list_rows(home)) == 100


async def test_very_long_text_is_refused_and_stays_complete(home: Home) -> None:
    shown = await see(home.admin, "/list")
    assert "maxlength" not in shown.partition('id="text"')[2].partition(">")[0]
    typed = ", ".join(["milk"] * 834)
    refused = read(home.admin, await send(home.admin, "/list/add", text=typed), 400)
    assert "That’s a lot. Add it in two parts." in refused.words
    assert refused.form("/list/add").fields["text"] == typed
    assert await list_rows(home) == []


async def test_typed_free_text_on_the_list_needs_confirmation(home: Home) -> None:
    bread = await add_entry(home.admin, name="Bread", notes="dark")
    await add_purchased_entry(home.admin, name="Tea")
    page = read(home.admin, await send(home.admin, "/list/add", text="2 BREAD"), 409)
    assert "Bread is already on the list. Make it 3?" in page.words
    assert (await page.send(entry_page_path(bread))).status_code == 303
    assert (await send(home.admin, "/list/add", text="tea")).status_code == 303
    assert await list_rows(home) == [("Bread", 3, "dark"), ("Tea", None, None), ("tea", None, None)]


async def test_different_typed_amount_is_added_as_second_entry(home: Home) -> None:
    mince = await add_entry(home.admin, name="Mince", notes="1 kg")
    page = read(home.admin, await send(home.admin, "/list/add", text="500 g mince"), 409)
    assert "Mince is already on the list. Add another?" in page.words
    assert not page.has_form(entry_page_path(mince))
    assert (await page.send("/list/add")).status_code == 303
    assert await list_rows(home) == [("Mince", None, "1 kg"), ("mince", None, "500 g")]
    await add_entry(home.admin, name="Rice", notes="500 g")
    page = read(home.admin, await send(home.admin, "/list/add", text="500 g rice"), 409)
    assert "Rice is already on the list. Make it 2?" in page.words


async def test_raising_quantity_leads_back_to_list_of_store(home: Home, market: Shown) -> None:
    at = market["storeId"]
    bread = await add_entry(home.admin, name="Bread", storeId=at)
    page = read(home.admin, await send(home.admin, "/list/add", text="bread", storeId=at), 409)
    assert f"/list?at={at}" in page.links
    answer = await page.send(f"{entry_page_path(bread)}?at={at}")
    assert led_to(answer) == f"/list?at={at}"


async def test_raising_quantity_keeps_store_and_notes(home: Home, market: Shown) -> None:
    store = market["storeId"]
    bread = await add_entry(home.admin, name="Bread", storeId=store, notes="dark")
    for typed_at, quantity in {"": 2, store: 3}.items():
        answer = await send(home.admin, "/list/add", text="bread", storeId=typed_at)
        page = read(home.admin, answer, 409)
        assert f"Make it {quantity}?" in page.words
        path = entry_page_path(bread) + (f"?at={typed_at}" if typed_at else "")
        assert (await page.send(path)).status_code == 303
        now = await get_entry(home.admin, bread)
        assert (now["quantity"], now["storeId"], now["notes"]) == (quantity, store, "dark")


async def test_confirmed_duplicate_free_text_is_added(home: Home) -> None:
    await add_entry(home.admin, name="Bread")
    page = read(home.admin, await send(home.admin, "/list/add", text="2 bread"), 409)
    assert (await page.send("/list/add")).status_code == 303
    assert await list_rows(home) == [("Bread", None, None), ("bread", 2, None)]


async def test_only_duplicates_among_typed_entries_need_confirmation(
    home: Home, milk: Shown
) -> None:
    await add_entry(home.admin, name="Bread")
    await add_entry(home.admin, itemId=milk["itemId"])
    page = read(home.admin, await send(home.admin, "/list/add", text="bread, tea, 2 milk"), 409)
    assert page.in_order("These are already on the list", "Bread", "Milk")
    assert "tea" not in page.words
    assert await list_rows(home) == [
        ("Bread", None, None),
        ("Milk", None, None),
        ("tea", None, None),
    ]
    await page.send("/list/add")
    assert await list_rows(home) == [
        ("Bread", None, None),
        ("Milk", None, None),
        ("Milk", 2, None),
        ("bread", None, None),
        ("tea", None, None),
    ]


async def test_many_duplicates_are_confirmed_together(home: Home) -> None:
    names = ("Bread", "Jam", "Milk", "Tea")
    for name in names:
        await add_entry(home.admin, name=name)
    seen = read(home.admin, await send(home.admin, "/list/add", text=", ".join(names)))
    asked = read(home.admin, await seen.send("/list/add"), 409)
    assert asked.in_order("These are already on the list", *names)
    assert (await asked.send("/list/add")).status_code == 303
    assert [name for name, *_ in await list_rows(home)] == sorted(names * 2)


async def test_chosen_item_is_linked_only_to_a_single_entry(home: Home, milk: Shown) -> None:
    await send(home.admin, "/list/add", text="2 of the usual", itemId=milk["itemId"])
    await send(home.admin, "/list/add", text="tea, jam", itemId=milk["itemId"])
    assert await list_rows(home) == [("Milk", 2, None), ("jam", None, None), ("tea", None, None)]


async def test_name_typed_twice_is_added_up_and_flagged_in_review(home: Home) -> None:
    text = "2 milk, bread, tea 50 g, tea 1 kg, Milk"
    page = read(home.admin, await send(home.admin, "/list/add", text=text))
    twice = "More than once in your list"
    assert page.in_order("4 items for the list", "milk", "3", twice, "bread", "tea", "50 g", twice,
        "tea", "1 kg", twice)  # fmt: skip
    assert page.words.count(twice) == 3
    await page.send("/list/add", seen="1")
    assert sorted(await list_rows(home), key=str) == [
        ("bread", None, None),
        ("milk", 3, None),
        ("tea", None, "1 kg"),
        ("tea", None, "50 g"),
    ]


async def test_amount_in_the_unit_of_a_known_item_is_its_count(home: Home) -> None:
    await add_item(home.admin, name="Milk", unit="l")
    await send(home.admin, "/list/add", text="milk 2 l, flour 500 g, 2")
    assert sorted(await list_rows(home), key=str) == [("Milk", 2, None), ("flour", 2, "500 g")]
