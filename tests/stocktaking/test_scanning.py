"""Barcodes on pages without scripts."""

import re

import pytest

from tests.api_client import add_item, get_all_pages, get_item, set_archived
from tests.home import Home
from tests.pages import led_to, look, read, see, send
from tests.running import Person

SCAN, TAKE = "/stock/scan", "/stock/take"
CODE, UPC, SHORT, OTHER = "4006381333931", "036000291452", "96385074", "4012345678901"


async def test_scan_page_finds_item_by_barcode(home: Home, kid: Person) -> None:
    pens = await add_item(home.admin, name="Pens", quantity=3, unit="boxes", barcodes=[CODE])
    for who, form in ((home.admin, True), (kid, False)):
        page = await look(who, f"{SCAN}?q=4006381%20333931")
        assert f"/stock/{pens['itemId']}" in page.links
        assert page.in_order("Pens", "3", "boxes")
        assert page.has_form(f"/stock/{pens['itemId']}/adjust") == form


async def test_scan_field_has_length_limit(home: Home) -> None:
    (field,) = re.findall('<input[^>]* name="q"[^>]*>', await see(home.admin, SCAN))
    (longest,) = re.findall(r'maxlength="(\d+)"', field)
    await see(home.admin, f"{SCAN}?q={'8' * int(longest)}")
    await see(home.admin, f"{SCAN}?q={'8' * (int(longest) + 1)}", 400)


async def test_upc_and_ean_find_same_item(home: Home) -> None:
    await add_item(home.admin, name="Tissues", barcodes=[UPC])
    assert "Tissues" in (await look(home.admin, f"{SCAN}?q=0{UPC}")).words


async def test_barcode_of_another_family_is_unknown(home: Home, neighbour: Person) -> None:
    await add_item(neighbour, name="Pens", barcodes=[CODE])
    page = await look(home.admin, f"{SCAN}?q={CODE}")
    assert "Pens" not in page.words
    assert f"No item has the barcode {CODE} yet." in page.words


async def test_unknown_barcode_offers_new_item(home: Home, kid: Person) -> None:
    page = await look(home.admin, f"{SCAN}?q={CODE}")
    new = f"/stock/new?barcode={CODE}"
    assert new in page.links
    page = await look(home.admin, new)
    assert CODE in page.values
    led_to(await send(home.admin, "/stock/new", name="Pens", quantity=1, barcodes=CODE))
    (pens,) = await get_all_pages(home.admin, "/items", 100)
    assert pens["barcodes"] == [CODE]
    assert new not in (await look(kid, f"{SCAN}?q={OTHER}")).links


@pytest.mark.parametrize("digits", ["4006381333930", "123", "milk", "٤٠٠٦٣٨١٣٣٣٩٣١"])
async def test_invalid_barcode_is_reported(home: Home, digits: str) -> None:
    page = await look(home.admin, f"{SCAN}?q={digits}")
    assert "That isn’t a barcode" in page.words
    assert digits in page.values


async def test_archived_item_is_found_but_not_counted(home: Home) -> None:
    pens = await add_item(home.admin, name="Pens", quantity=3, barcodes=[CODE])
    await set_archived(home.admin, pens, "archive")
    page = await look(home.admin, f"{SCAN}?q={CODE}")
    assert page.in_order("Pens", "Archive")
    assert not page.has_form(f"/stock/{pens['itemId']}/adjust")
    page = read(home.admin, await send(home.admin, TAKE, text=CODE), 400)
    assert "Pens is archived." in page.words
    assert (await get_item(home.admin, pens))["quantity"] == 3


async def test_barcode_in_stocktaking_counts_item_up(home: Home) -> None:
    pens = await add_item(home.admin, name="Pens", quantity=3, barcodes=[CODE])
    page = await look(home.admin, led_to(await send(home.admin, TAKE, text=CODE, quantity=2)))
    assert "Added 2 Pens. You have 5 now." in page.words
    led_to(await page.send(f"{TAKE}/undo"))
    assert (await get_item(home.admin, pens))["quantity"] == 3


async def test_unknown_barcode_in_stocktaking_asks_for_name(home: Home) -> None:
    page = read(home.admin, await send(home.admin, TAKE, text=SHORT, unit="packs"))
    assert page.in_order("No item has this barcode yet. What is it?", SHORT)
    page = await look(home.admin, led_to(await page.send(TAKE, text="Gum 2")))
    assert page.form(TAKE).fields["barcode"] == ""
    (gum,) = await get_all_pages(home.admin, "/items", 100)
    assert (gum["name"], gum["quantity"], gum["unit"]) == ("Gum", 2, "packs")
    assert gum["barcodes"] == [SHORT]


async def test_barcode_claimed_concurrently_is_reported(home: Home) -> None:
    page = read(home.admin, await send(home.admin, TAKE, text=SHORT))
    await add_item(home.admin, name="Gum", barcodes=[SHORT])
    page = read(home.admin, await page.send(TAKE, text="Chewing gum"), 400)
    assert "Another item already has this barcode." in page.words
    assert len(await get_all_pages(home.admin, "/items", 100)) == 1


async def test_edit_form_shows_and_changes_barcodes(home: Home) -> None:
    pens = await add_item(home.admin, name="Pens", barcodes=[CODE])
    path = f"/stock/{pens['itemId']}"
    assert f"Barcode: {CODE}" in await see(home.admin, path)
    page = await look(home.admin, f"{path}/edit")
    assert page.values.count(CODE) == 1
    led_to(await page.send(f"{path}/edit", barcodes=OTHER))
    assert (await get_item(home.admin, pens))["barcodes"] == [OTHER]
    page = await look(home.admin, f"{path}/edit")
    led_to(await page.send(f"{path}/edit", barcodes=""))
    assert (await get_item(home.admin, pens))["barcodes"] == []


@pytest.mark.parametrize("where", ["new", "edit"])
async def test_invalid_or_used_barcode_is_reported_and_kept(home: Home, where: str) -> None:
    pens = await add_item(home.admin, name="Pens")
    await add_item(home.admin, name="Gum", barcodes=[SHORT])
    path = "/stock/new" if where == "new" else f"/stock/{pens['itemId']}/edit"
    for code, said in ((SHORT, "Gum has this barcode."), ("123", "That isn’t a barcode")):
        page = await look(home.admin, path)
        page = read(home.admin, await page.send(path, name="Pens", barcodes=code), 400)
        assert page.words.count(said) == 1
        assert code in page.values
        fields = page.text.split('name="barcodes"')[1:]
        assert all('aria-invalid="true"' in field.partition(">")[0] for field in fields)
    assert (await get_item(home.admin, pens))["barcodes"] == []
