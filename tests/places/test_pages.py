"""The page of places: add, rename, delete and refuse."""

import pytest

from tests.api_client import (
    ID_OF,
    Shown,
    add_entry,
    add_item,
    add_place,
    get_all_pages,
    nothing_changes,
)
from tests.home import NOBODYS, Home
from tests.pages import led_to, look, read, see, send, sent_from_elsewhere
from tests.running import Person

LONGEST = {"locations": 50, "stores": 100}
OTHER = {"locations": "stores", "stores": "locations"}
FIELD = {"locations": "locationId", "stores": "preferredStoreId"}


@pytest.fixture
async def corner(home: Home, kind: str) -> Shown:
    return await add_place(home.admin, kind, "Corner")


def path_of(kind: str, place: Shown, more: str = "") -> str:
    return f"/places/{kind}/{place[ID_OF[kind]]}{more}"


async def place_names(person: Person, kind: str) -> list[str]:
    return sorted(place["name"] for place in await get_all_pages(person, f"/{kind}", 100))


async def test_form_adds_place(home: Home, kind: str) -> None:
    page = await look(home.admin, "/places")
    assert "<title>Places · Homeshelf</title>" in page.text
    assert led_to(await page.send(f"/places/{kind}", name=" Corner ")) == "/places"
    assert await place_names(home.admin, kind) == ["Corner"]
    assert await place_names(home.admin, OTHER[kind]) == []
    assert "Corner" in (await look(home.admin, "/places")).words


async def test_description_is_shown_beside_place(home: Home) -> None:
    await add_place(home.admin, "locations", "Pantry", description="Behind the stairs")
    await add_place(home.admin, "stores", "Market", address="Old Square 1")
    page = await look(home.admin, "/places")
    assert page.in_order("Pantry", "Behind the stairs", "Market", "Old Square 1")


async def test_row_has_an_id_and_a_delete_link(home: Home, kind: str, corner: Shown) -> None:
    page, path = await see(home.admin, "/places"), path_of(kind, corner)
    assert f'<li id="{corner[ID_OF[kind]]}">' in page
    link = f'href="{path}/delete" data-undoable="/api/v1/{kind}/{corner[ID_OF[kind]]}"'
    assert link in page


async def test_place_id_is_case_insensitive_and_malformed_id_returns_404(
    home: Home, kind: str, corner: Shown
) -> None:
    shouted = corner[ID_OF[kind]].upper()
    assert "Corner" in (await look(home.admin, f"/places/{kind}/{shouted}/delete")).words
    for malformed in ("x", "a%23b", "%20"):
        await see(home.admin, f"/places/{kind}/{malformed}/delete", 404)


async def test_query_parameter_does_not_appear_on_page(home: Home) -> None:
    assert "Call 555" not in (await look(home.admin, "/places?said=Call%20555")).words


async def test_places_are_sorted_by_name(home: Home, kind: str) -> None:
    for name in ("pear", "Zoo", "Apple", "quince"):
        await add_place(home.admin, kind, name)
    assert (await look(home.admin, "/places")).in_order("Apple", "pear", "quince", "Zoo")


async def test_duplicate_name_shows_error_beside_field(
    home: Home, kind: str, corner: Shown
) -> None:
    page = await look(home.admin, "/places")
    async with nothing_changes(home):
        refused = read(home.admin, await page.send(f"/places/{kind}", name="cORNER"), 400)
    assert "You already have one called that" in refused.words
    assert refused.form(f"/places/{kind}").fields["name"] == "cORNER"
    assert refused.form(f"/places/{OTHER[kind]}").fields["name"] == ""
    assert led_to(await page.send(f"/places/{OTHER[kind]}", name=corner["name"])) == "/places"


async def test_name_field_has_the_maximum_length(home: Home, kind: str) -> None:
    page = await look(home.admin, "/places")
    for wrong in ("n" * (LONGEST[kind] + 1), "  "):
        refused = read(home.admin, await page.send(f"/places/{kind}", name=wrong), 400)
        assert f"up to {LONGEST[kind]} characters" in refused.words
        assert refused.form(f"/places/{kind}").fields["name"] == wrong
    assert await place_names(home.admin, kind) == []
    whole = "n" * LONGEST[kind]
    assert led_to(await page.send(f"/places/{kind}", name=whole)) == "/places"
    assert await place_names(home.admin, kind) == [whole]


async def test_shown_form_renames_place(home: Home, kind: str, corner: Shown) -> None:
    page = await look(home.admin, "/places")
    form = page.form(path_of(kind, corner))
    assert (form.fields["name"], form.fields["version"]) == ("Corner", "1")
    assert led_to(await page.send(path_of(kind, corner), name="Market")) == "/places"
    (renamed,) = await get_all_pages(home.admin, f"/{kind}", 100)
    assert (renamed[ID_OF[kind]], renamed["name"]) == (corner[ID_OF[kind]], "Market")


async def test_edit_conflict_shows_and_keeps_the_current_place(
    home: Home, kind: str, corner: Shown
) -> None:
    page = await look(home.admin, "/places")
    assert led_to(await page.send(path_of(kind, corner), name="Market")) == "/places"
    shown = read(home.admin, await page.send(path_of(kind, corner), name="Kiosk"), 409)
    assert "else changed this" in shown.words
    assert "Market" in shown.words
    assert await place_names(home.admin, kind) == ["Market"]
    assert shown.form(path_of(kind, corner)).fields["name"] == "Kiosk"
    assert led_to(await shown.send(path_of(kind, corner))) == "/places"
    assert await place_names(home.admin, kind) == ["Kiosk"]


async def test_rename_to_name_of_another_place_is_refused(
    home: Home, kind: str, corner: Shown
) -> None:
    await add_place(home.admin, kind, "Market")
    page = await look(home.admin, "/places")
    async with nothing_changes(home):
        shown = read(home.admin, await page.send(path_of(kind, corner), name="market"), 400)
    assert "You already have one called that" in shown.words


async def test_invalid_new_name_is_refused(home: Home, kind: str, corner: Shown) -> None:
    page = await look(home.admin, "/places")
    async with nothing_changes(home):
        wrong = "n" * (LONGEST[kind] + 1)
        shown = read(home.admin, await page.send(path_of(kind, corner), name=wrong), 400)
    assert f"up to {LONGEST[kind]} characters" in shown.words


async def test_corrected_form_keeps_the_version_of_the_first_page(
    home: Home, kind: str, corner: Shown
) -> None:
    page = await look(home.admin, "/places")
    await page.send(path_of(kind, corner), name="Market")
    wrong = read(home.admin, await page.send(path_of(kind, corner), name=" "), 400)
    shown = read(home.admin, await wrong.send(path_of(kind, corner), name="Kiosk"), 409)
    assert "else changed this" in shown.words
    assert await place_names(home.admin, kind) == ["Market"]


@pytest.mark.parametrize("name", ["Market", ""])
async def test_unknown_place_returns_404(
    home: Home, neighbour: Person, kind: str, name: str
) -> None:
    theirs = await add_place(neighbour, kind, "Theirs")
    for place in (theirs, {ID_OF[kind]: NOBODYS}):
        answer = await send(home.admin, path_of(kind, place), name=name, version=1)
        assert answer.status_code == 404
        gone = await send(home.admin, path_of(kind, place, "/delete"), version=1)
        assert gone.status_code == 404
    assert await place_names(neighbour, kind) == ["Theirs"]


async def test_unused_place_is_deleted(home: Home, kind: str, corner: Shown) -> None:
    await add_place(home.admin, kind, "Market")
    answer = await send(home.admin, path_of(kind, corner, "/delete"), version=1)
    assert led_to(answer) == "/places"
    assert await place_names(home.admin, kind) == ["Market"]


async def test_used_place_is_kept_and_lists_its_references(
    home: Home, kind: str, corner: Shown
) -> None:
    place_id = corner[ID_OF[kind]]
    await add_item(home.admin, **{FIELD[kind]: place_id})
    refused = await send(home.admin, path_of(kind, corner, "/delete"), version=1)
    shown = read(home.admin, refused, 409)
    assert "used by 1 item in your stock." in shown.words
    await add_item(home.admin, **{FIELD[kind]: place_id})
    expected = "used by 2 items in your stock."
    if kind == "stores":
        await add_entry(home.admin, name="Milk", storeId=place_id)
        expected = "used by 2 items in your stock and 1 item on the list."
    refused = await send(home.admin, path_of(kind, corner, "/delete"), version=1)
    shown = read(home.admin, refused, 409)
    assert expected in shown.words
    assert await place_names(home.admin, kind) == ["Corner"]


async def test_store_used_by_shopping_list_only_is_kept(home: Home) -> None:
    shop = await add_place(home.admin, "stores", "Market")
    await add_entry(home.admin, name="Milk", storeId=shop["storeId"])
    refused = await send(home.admin, path_of("stores", shop, "/delete"), version=1)
    shown = read(home.admin, refused, 409)
    assert "used by 1 item on the list." in shown.words


async def test_child_sees_places_without_forms(
    home: Home, kid: Person, kind: str, corner: Shown
) -> None:
    page = await look(kid, "/places")
    assert "Corner" in page.words
    assert not page.has_form(f"/places/{kind}")
    assert not page.has_form(path_of(kind, corner))
    async with nothing_changes(home):
        for path in (f"/places/{kind}", path_of(kind, corner), path_of(kind, corner, "/delete")):
            assert (await send(kid, path, name="Mine", version=1)).status_code == 403


async def test_cross_site_forms_are_refused(home: Home, kind: str, corner: Shown) -> None:
    for path in (f"/places/{kind}", path_of(kind, corner), path_of(kind, corner, "/delete")):
        assert await sent_from_elsewhere(home.admin, path) == 403
    assert await place_names(home.admin, kind) == ["Corner"]
