"""Thresholds in forms: the default, and the choice of none."""

import pytest

from homeshelf.inventory.default_threshold import DEFAULT_THRESHOLDS, default_threshold
from tests.api_client import Shown, add_item, get_all_pages, get_item, nothing_changes
from tests.home import Home
from tests.pages import led_to, look, read


def path_of(item: Shown) -> str:
    return f"/stock/{item['itemId']}/edit"


async def add_by_form(home: Home, **typed: object) -> Shown:
    """Add an item by the form, and return it."""
    page = await look(home.admin, "/stock/new")
    assert led_to(await page.send("/stock/new", **typed)).startswith("/stock#")
    items = await get_all_pages(home.admin, "/items", 100)
    (item,) = [each for each in items if each["name"] == typed["name"]]
    return item


@pytest.mark.parametrize(
    ("unit", "quantity", "start"),
    [
        (None, 5, 2),
        ("", 2, 2),
        ("bags", 3, 2),
        ("g", 500, 250),
        (" G. ", 500, 250),
        ("Gramm", 1000, 250),
        ("غرام", 800, 250),
        ("ml", 750, 250),
        ("cl", 75, 25),
        ("Décilitres", 9, 3),
        ("kg", 4, 1),
        ("g packs", 9, 2),
    ],
)
def test_default_threshold_depends_on_unit(unit: str | None, quantity: int, start: int) -> None:
    assert default_threshold(unit, quantity) == start


def test_default_threshold_is_at_most_the_quantity() -> None:
    assert [default_threshold(None, quantity) for quantity in (0, 1, 2, 3)] == [2, 1, 2, 2]
    assert [default_threshold("g", quantity) for quantity in (0, 100, 250)] == [250, 100, 250]


def test_default_threshold_is_never_zero() -> None:
    assert min(DEFAULT_THRESHOLDS.values()) == 1


async def test_empty_threshold_field_uses_default(home: Home) -> None:
    fields = (await look(home.admin, "/stock/new")).form("/stock/new").fields
    assert (fields["tell"], fields["threshold"]) == ("below", "")
    flour = await add_by_form(home, name="Flour", quantity=1000, unit="g")
    assert flour["threshold"] == 250
    assert (await add_by_form(home, name="Rolls", quantity=8))["threshold"] == 2
    tea = await add_by_form(home, name="Tea")
    assert (tea["quantity"], tea["threshold"], tea["isLowStock"]) == (1, 1, False)
    none = await add_by_form(home, name="Salt", quantity="")
    assert (none["quantity"], none["threshold"], none["isLowStock"]) == (0, 2, True)


async def test_choice_never_stores_threshold_zero(home: Home) -> None:
    for number, typed in enumerate(("", "7", "0", "many")):
        item = await add_by_form(home, name=f"Tea {number}", tell="never", threshold=typed)
        assert item["threshold"] == 0


async def test_zero_is_not_a_valid_typed_threshold(home: Home) -> None:
    page = await look(home.admin, "/stock/new")
    number = page.text.partition('id="threshold"')[2].partition(">")[0]
    assert ('min="1"' in number, 'max="9999999999"' in number) == (True, True)
    async with nothing_changes(home):
        refused = read(home.admin, await page.send("/stock/new", name="Tea", threshold=0), 400)
    assert "1 or more, or choose “No alerts”." in refused.words
    fields = refused.form("/stock/new").fields
    assert (fields["name"], fields["threshold"], fields["tell"]) == ("Tea", "0", "below")


async def test_edit_form_shows_stored_choice(home: Home) -> None:
    item = await add_item(home.admin, name="Flour", quantity=900, threshold=0, unit="g")
    page = await look(home.admin, path_of(item))
    fields = page.form(path_of(item)).fields
    assert (fields["tell"], fields["threshold"]) == ("never", "")
    async with nothing_changes(home):
        await page.send(path_of(item))
    await page.send(path_of(item), tell="below")
    now = await get_item(home.admin, item)
    assert (now["threshold"], now["quantity"]) == (250, 900)
    page = await look(home.admin, path_of(item))
    fields = page.form(path_of(item)).fields
    assert (fields["tell"], fields["threshold"]) == ("below", "250")
    await page.send(path_of(item), threshold="")
    assert (await get_item(home.admin, item))["threshold"] == 250
    page = await look(home.admin, path_of(item))
    await page.send(path_of(item), tell="never")
    assert (await get_item(home.admin, item))["threshold"] == 0


async def test_single_item_has_default_threshold_one(home: Home) -> None:
    item = await add_item(home.admin, quantity=1)
    page = await look(home.admin, path_of(item))
    await page.send(path_of(item), tell="below")
    now = await get_item(home.admin, item)
    assert (now["threshold"], now["isLowStock"]) == (1, False)


async def test_placeholder_shows_default_threshold(home: Home) -> None:
    item = await add_item(home.admin, quantity=900, unit="g")
    assert 'placeholder="250"' in (await look(home.admin, path_of(item))).text
    assert 'placeholder="1"' in (await look(home.admin, "/stock/new")).text
    assert "Alert me below" in (await look(home.admin, "/stock")).words


async def test_form_of_older_version_accepts_only_positive_threshold(home: Home) -> None:
    """The older form had only one field, which began with 0."""
    page = await look(home.admin, "/stock/new")
    page.form("/stock/new").fields.pop("tell")
    refused = await page.send("/stock/new", name="Tea", threshold=0)
    assert refused.status_code == 400
    assert (await page.send("/stock/new", name="Tea", threshold=3)).status_code == 303
