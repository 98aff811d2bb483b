"""The stock pages: order, forms and validation errors."""

import pytest

from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_place,
    adjust,
    edit_item,
    get_all_pages,
    get_item,
    nothing_changes,
    set_archived,
)
from tests.home import NOBODYS, Home
from tests.pages import led_to, look, read, send, sent_from_elsewhere
from tests.running import Person

MOST = 9_999_999_999
BOUNDS: dict[str, tuple[tuple[str, ...], str]] = {
    # what a field refuses, and the most or least that it takes
    "name": (("", "n" * 101), "n" * 100),
    "threshold": (("0", "-1", "1.5", "many", str(MOST + 1)), str(MOST)),
    "quantity": (("-1", "1.5", str(MOST + 1)), "0"),
    "unit": (("n" * 51,), "n" * 50),
    "notes": (("n" * 501,), "n" * 500),
    "locationId": (("pantry", NOBODYS), ""),
    "preferredStoreId": (("market", NOBODYS), ""),
}
FORMS = [
    (where, field)
    for where in ("new", "edit")
    for field in BOUNDS
    if (where, field) != ("edit", "quantity")  # how many there are is counted, not edited
]


@pytest.fixture
async def place_and_store(home: Home) -> dict[str, str]:
    """A storage place and a store, by the form fields that name them."""
    pantry = await add_place(home.admin, "locations", "Pantry")
    market = await add_place(home.admin, "stores", "Market")
    return {"locationId": pantry["locationId"], "preferredStoreId": market["storeId"]}


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=1, threshold=3)


def path_of(item: Shown, more: str = "") -> str:
    return f"/stock/{item['itemId']}{more}"


async def only_item(home: Home) -> Shown:
    (item,) = await get_all_pages(home.admin, "/items?status=all", 100)
    return item


async def test_stock_page_groups_items_by_location_and_name(
    home: Home, place_and_store: dict[str, str]
) -> None:
    cellar = (await add_place(home.admin, "locations", "cellar"))["locationId"]
    for name, where in (
        ("salt", place_and_store["locationId"]), ("Rice", place_and_store["locationId"]),
        ("Wine", cellar), ("Glue", None),
    ):  # fmt: skip
        await add_item(home.admin, name=name, locationId=where)
    page = await look(home.admin, "/stock")
    assert page.in_order("cellar", "Wine", "Pantry", "Rice", "salt", "No place", "Glue")


async def test_item_page_shows_low_empty_and_archived_state(home: Home, rice: Shown) -> None:
    await add_item(home.admin, name="Salt", quantity=0, unit="packs")
    await add_item(home.admin, name="Oats", quantity=3, threshold=3)
    await set_archived(home.admin, await add_item(home.admin, name="Peas"), "archive")
    page = await look(home.admin, "/stock")
    assert page.in_order("Oats", "Rice running low", "Salt all gone", "0 packs")
    assert "Peas" not in page.words
    low = await look(home.admin, "/stock?show=low")
    assert "Rice" in low.words
    assert "Oats" not in low.words
    aside = await look(home.admin, "/stock?show=archived")
    assert "Peas" in aside.words
    assert "Rice" not in aside.words
    assert path_of(rice) in page.links


async def test_search_finds_items_by_name(home: Home, rice: Shown) -> None:
    await add_item(home.admin, name="Salt")
    page = await look(home.admin, "/stock?q=%20RIC%20")
    assert path_of(rice) in page.links
    assert "Salt" not in page.words
    nothing = await look(home.admin, "/stock?q=pearls")
    assert "No items found" in nothing.words
    assert "/stock/new?name=pearls" in nothing.links
    new = await look(home.admin, "/stock/new?name=pearls")
    assert new.form("/stock/new").fields["name"] == "pearls"


async def test_add_form_stores_every_field(home: Home, place_and_store: dict[str, str]) -> None:
    page = await look(home.admin, "/stock/new")
    given = place_and_store | {"name": " Rice ", "unit": "bags", "notes": "the <long> one"}
    answer = await page.send("/stock/new", quantity=4, threshold=2, **given)
    item = await only_item(home)
    assert led_to(answer) == f"/stock#{item['itemId']}"
    kept = given | {"name": "Rice", "quantity": 4, "threshold": 2, "status": "active"}
    assert {name: item[name] for name in kept} == kept
    assert item["createdBy"] == home.admin.member_id


async def test_empty_quantity_means_zero(home: Home) -> None:
    page = await look(home.admin, "/stock/new")
    assert page.form("/stock/new").fields["quantity"] == "1"
    await page.send("/stock/new", name="Rice", quantity="")
    assert (await only_item(home))["quantity"] == 0


async def test_edit_form_shows_every_field_and_saving_changes_nothing(
    home: Home, place_and_store: dict[str, str]
) -> None:
    given = place_and_store | {
        "name": "Rice",
        "unit": "bags",
        "notes": "the <long> one",
        "picture": "🍚",
    }
    others = [
        (await add_place(home.admin, "stores", name))["storeId"] for name in ("Kiosk", "Mill")
    ]
    item = await add_item(
        home.admin,
        quantity=4,
        threshold=2,
        alternateStoreIds=others,
        barcodes=["96385074", "4006381333931"],
        **given,
    )
    page = await look(home.admin, path_of(item, "/edit"))
    fields = page.form(path_of(item, "/edit")).fields
    expected = given | {"threshold": "2", "version": "1"}
    assert {name: fields[name] for name in expected} == expected
    assert led_to(await page.send(path_of(item, "/edit"))) == path_of(item)
    assert await get_item(home.admin, item) == item


async def test_edit_form_changes_and_clears_every_field(
    home: Home, rice: Shown, place_and_store: dict[str, str]
) -> None:
    page = await look(home.admin, path_of(rice, "/edit"))
    given = place_and_store | {"name": "Oats", "unit": "bags", "notes": "fine"}
    assert led_to(await page.send(path_of(rice, "/edit"), threshold=7, **given)) == path_of(rice)
    now = await get_item(home.admin, rice)
    assert {name: now[name] for name in given} == given
    assert (now["threshold"], now["quantity"]) == (7, 1)
    page = await look(home.admin, path_of(rice, "/edit"))
    cleared = dict.fromkeys(("locationId", "preferredStoreId", "unit", "notes"), "")
    await page.send(path_of(rice, "/edit"), **cleared)
    now = await get_item(home.admin, rice)
    assert [now[name] for name in cleared] == [None] * 4


@pytest.mark.parametrize(("where", "field"), FORMS)
async def test_invalid_form_keeps_typed_values(
    home: Home, rice: Shown, where: str, field: str
) -> None:
    wrong, right = BOUNDS[field]
    path = "/stock/new" if where == "new" else path_of(rice, "/edit")
    page = await look(home.admin, path)
    others = {"name": "Oats", "unit": "bags", "notes": "fine"}
    async with nothing_changes(home):
        for text in wrong:
            typed = others | {field: text}
            refused = read(home.admin, await page.send(path, **typed), 400)
            shown = refused.form(path).fields
            chosen = {} if field.endswith("Id") else {field: text}
            kept = {name: value for name, value in typed.items() if name != field} | chosen
            assert {name: shown[name] for name in kept} == kept
    assert (await page.send(path, **others | {field: right})).status_code == 303


async def test_edit_conflict_shows_both_values(home: Home, rice: Shown) -> None:
    path = path_of(rice, "/edit")
    page = await look(home.admin, path)
    await edit_item(home.admin, rice, notes="the long\none", unit="bags")
    shown = read(home.admin, await page.send(path, name="Oats", unit="packs"), 400)
    assert shown.in_order(
        "Someone else changed this",
        "Name", "Now: “Rice”.", "Unit", "Now: “bags”.",
        "Notes", "Now: “the long one”.",
    )  # fmt: skip
    assert shown.words.count("Now: “") == 3
    fields = shown.form(path).fields
    assert (fields["name"], fields["unit"], fields["notes"]) == ("Oats", "packs", "")
    now = await get_item(home.admin, rice)
    assert (now["name"], now["unit"], now["notes"]) == ("Rice", "bags", "the long\none")
    assert led_to(await shown.send(path, notes="the long one")) == path_of(rice)
    now = await get_item(home.admin, rice)
    assert (now["name"], now["unit"], now["notes"]) == ("Oats", "packs", "the long one")


async def test_edit_conflict_shows_names_of_places(
    home: Home, rice: Shown, place_and_store: dict[str, str]
) -> None:
    path = path_of(rice, "/edit")
    others = [
        (await add_place(home.admin, "stores", name))["storeId"] for name in ("Mill", "Kiosk")
    ]
    several = {"alternateStoreIds": others, "barcodes": ["96385074", "4006381333931"]}
    before = await look(home.admin, path)
    await edit_item(home.admin, rice, **place_and_store, **several, threshold=7, picture="🍙")
    shown = read(home.admin, await before.send(path), 400)
    assert shown.in_order(
        "Low-stock alert", "Now: “7”.", "Place", "Now: “Pantry”.",
        "Shop", "Now: “Market”.",
        "Other shops", "Now: “Kiosk, Mill”.",
        "Picture", "Now: “🍙”.", "Barcodes", "Now: “4006381333931, 96385074”.",
    )  # fmt: skip
    full = await look(home.admin, path)
    nothing = dict.fromkeys(place_and_store) | {name: [] for name in several}
    await edit_item(home.admin, rice, **nothing, threshold=0, picture=None)
    shown = read(home.admin, await full.send(path), 400)
    assert shown.in_order(
        "Now: “No alerts”.", "Now: “No place”.", "Now: “Any shop”.",
        "Other shops", "Now: empty.", "Picture", "Now: empty.",
        "Barcodes", "Now: empty.",
    )  # fmt: skip
    assert shown.form(path).several["alternateStoreIds"][1:] == others[::-1]
    assert {name: shown.form(path).fields[name] for name in place_and_store} == place_and_store


async def test_edit_conflict_with_equal_values_saves(home: Home, rice: Shown) -> None:
    page = await look(home.admin, path_of(rice, "/edit"))
    for end in ("\r\n", "\n"):
        sent = await page.send(path_of(rice, "/edit"), name="Oats", notes=f"fine{end}and dry")
        assert led_to(sent) == path_of(rice)
    assert (await get_item(home.admin, rice))["version"] == 2


async def test_invalid_form_after_concurrent_edit_overwrites_nothing(
    home: Home, rice: Shown
) -> None:
    page = await look(home.admin, path_of(rice, "/edit"))
    await edit_item(home.admin, rice, notes="the long one")
    refused = read(home.admin, await page.send(path_of(rice, "/edit"), name=" "), 400)
    shown = read(home.admin, await refused.send(path_of(rice, "/edit"), name="Oats"), 400)
    assert "Now: “the long one”." in shown.words
    assert (await get_item(home.admin, rice))["notes"] == "the long one"


async def test_form_without_version_is_shown_again(home: Home, rice: Shown) -> None:
    async with nothing_changes(home):
        asked = read(home.admin, await send(home.admin, path_of(rice, "/edit"), name="Oats"))
        answer = await send(home.admin, path_of(rice, "/edit"), name="Oats", version=0)
        assert answer.status_code == 400
    assert "else changed this" not in asked.words
    assert led_to(await asked.send(path_of(rice, "/edit"))) == path_of(rice)
    assert (await get_item(home.admin, rice))["name"] == "Oats"


async def test_stepper_buttons_adjust_by_one(home: Home, rice: Shown) -> None:
    page = await look(home.admin, "/stock")
    assert led_to(await page.send(path_of(rice, "/adjust"), delta=1)) == f"/stock#{rice['itemId']}"
    page = await look(home.admin, path_of(rice))
    assert led_to(await page.send(path_of(rice, "/adjust"), delta=-1)) == path_of(rice)
    await page.send(path_of(rice, "/adjust"), delta=-1)
    assert (await get_item(home.admin, rice))["quantity"] == 0
    history = await get_all_pages(home.admin, f"/items/{rice['itemId']}/history", 10)
    assert [each["delta"] for each in history] == [-1, -1, 1, 1]
    answer = await send(home.admin, path_of(rice, "/adjust"), delta=2, back="home")
    assert led_to(answer) == "/"


@pytest.mark.parametrize("delta", ["0", "", "many", "1000001", "-1000001"])
async def test_invalid_delta_changes_nothing(home: Home, rice: Shown, delta: str) -> None:
    async with nothing_changes(home):
        await send(home.admin, path_of(rice, "/adjust"), delta=delta)


async def test_item_page_shows_all_details(
    home: Home, kid: Person, place_and_store: dict[str, str]
) -> None:
    other = (await add_place(home.admin, "stores", "Kiosk"))["storeId"]
    item = await add_item(
        home.admin,
        **place_and_store, name="Rice", quantity=2, threshold=2,
        unit="bags", notes="the long one", alternateStoreIds=[other],
    )  # fmt: skip
    page = await look(kid, path_of(item))
    assert page.in_order("Pantry", "Rice", "2 bags", "Market, Kiosk", "the long one")
    assert "Running low" not in page.words
    await adjust(home.admin, item, -1)
    page = await look(home.admin, path_of(item))
    assert page.in_order("1 bags", "Running low", "History", "Alert below 2 bags", "-1 bags 1 bags",
        "+2 bags 2 bags")  # fmt: skip
    await adjust(home.admin, item, -1)
    assert "All gone" in (await look(home.admin, path_of(item))).words


async def test_item_is_listed_archived_and_unarchived(home: Home, rice: Shown) -> None:
    page = await look(home.admin, path_of(rice))
    assert page.has_form(f"/list/items/{rice['itemId']}")
    await add_entry(home.admin, itemId=rice["itemId"])
    page = await look(home.admin, path_of(rice))
    assert not page.has_form(f"/list/items/{rice['itemId']}")
    assert "On the list" in page.words
    assert led_to(await page.send(path_of(rice, "/archive"))) == path_of(rice)
    assert (await get_item(home.admin, rice))["status"] == "archived"
    aside = await look(home.admin, path_of(rice))
    assert "Archive" in aside.words
    assert not aside.has_form(path_of(rice, "/adjust"))
    assert led_to(await aside.send(path_of(rice, "/unarchive"))) == path_of(rice)
    assert (await get_item(home.admin, rice))["status"] == "active"


async def test_deleted_item_keeps_its_entries_as_text(home: Home, rice: Shown) -> None:
    entry = await add_entry(home.admin, itemId=rice["itemId"])
    answer = await send(home.admin, path_of(rice, "/delete"), version=rice["version"])
    assert led_to(answer) == "/stock"
    for more in ("", "/edit"):
        await look(home.admin, path_of(rice, more), 404)
    left = (await home.admin.get(f"/shopping-list/{entry['shoppingItemId']}")).json()
    assert (left["name"], left["itemId"]) == ("Rice", None)


async def test_child_reads_pages_and_changes_nothing(home: Home, kid: Person, rice: Shown) -> None:
    for path in ("/stock", path_of(rice)):
        page = await look(kid, path)
        assert page.in_order("Rice", "1")
        for more in ("/adjust", "/archive"):
            assert not page.has_form(path_of(rice, more))
        assert not page.has_form("/stock/new")
    await look(kid, "/stock/new", 403)
    await look(kid, path_of(rice, "/edit"), 403)
    async with nothing_changes(home):
        for more in ("/edit", "/adjust", "/archive", "/unarchive", "/delete"):
            answer = await send(kid, path_of(rice, more), name="Mine", delta=1, version=1)
            assert answer.status_code == 403
        assert (await send(kid, "/stock/new", name="Sweets")).status_code == 403


async def test_items_of_another_family_return_404(
    home: Home, neighbour: Person, rice: Shown
) -> None:
    async with nothing_changes(home):
        for more in ("", "/edit"):
            await look(neighbour, path_of(rice, more), 404)
        for more, fields in (
            ("/edit", {"name": "Mine", "version": "1"}),
            ("/adjust", {"delta": "1"}),
            ("/archive", {}),
            ("/unarchive", {}),
            ("/delete", {"version": "1"}),
        ):
            answer = await send(neighbour, path_of(rice, more), **fields)
            assert answer.status_code == 404


async def test_cross_site_forms_are_refused(home: Home, rice: Shown) -> None:
    async with nothing_changes(home):
        for more in ("/edit", "/adjust", "/archive", "/unarchive", "/delete"):
            assert await sent_from_elsewhere(home.admin, path_of(rice, more)) == 403
        assert await sent_from_elsewhere(home.admin, "/stock/new") == 403
