"""Scanning barcodes with a phone's camera."""

from tests.browser.family_home import Home
from tests.browser.storage import open_phone, wait_until_equal
from tests.browser.visitor import Visitors, expect
from tests.network import Line

CODE, NEW = "4006381333931", "96385074"
DETECTOR = """
window.before = [];
window.BarcodeDetector = class {
  async detect() { return window.before.map((rawValue) => ({ rawValue })); }
};
"""
"""Stand-in for `BarcodeDetector`, which Chromium has only on phones."""


async def test_scanned_barcode_finds_item(home: Home, visitors: Visitors) -> None:
    pens = home.item("Pens", 3, 0, barcodes=[CODE])
    phone = await home.phone(visitors)
    await phone.page.add_init_script(DETECTOR)
    await phone.go("/stock/scan")
    await phone.press("Scan barcode")
    await expect(phone.page.locator("video")).to_be_visible()
    await phone.page.evaluate(f"before = ['123', '{CODE}']")
    await phone.sees("Pens")
    await phone.press("One less Pens")

    async def count() -> int:
        quantity: int = home.admin.ask("GET", f"/items/{pens}")["quantity"]
        return quantity

    await wait_until_equal(2, count)


async def test_digits_can_be_typed_without_barcode_detector(home: Home, visitors: Visitors) -> None:
    home.item("Pens", 3, 0, barcodes=[CODE])
    phone = await home.phone(visitors)
    await phone.go("/stock/scan")
    await expect(phone.page.get_by_role("button", name="Scan barcode")).to_be_hidden()
    await phone.write("The digits under the bars", CODE)
    await phone.press("Search")
    await phone.sees("Pens")
    await phone.write("The digits under the bars", NEW)
    await phone.press("Search")
    await phone.press("Add as a new item")
    await expect(phone.page.get_by_label("Barcode", exact=True)).to_have_value(NEW)


async def test_scanned_barcodes_are_counted_in_turn(
    home: Home, visitors: Visitors, line: Line
) -> None:
    """A code that stays in view counts once; an unknown one asks for a name."""
    home.item("Pens", 3, 0, barcodes=[CODE])
    phone = await open_phone(home, visitors, line, "/stock")
    await phone.page.add_init_script(DETECTOR)
    await phone.go("/stock/take")
    line.becomes("cut")
    await phone.press("Scan barcode")
    await phone.page.evaluate(f"before = ['{CODE}']")
    row = phone.page.locator(".taken > li", has_text="Pens")
    await expect(row.locator("small")).to_have_text("4 now")
    await phone.page.evaluate(f"before = ['{NEW}']")
    await phone.sees("No item has this barcode yet. What is it?")
    await expect(phone.field("What do you have?")).to_be_focused()
    await phone.press("Stop the camera")
    await expect(phone.page.locator("video")).to_be_hidden()
    await phone.write("What do you have?", "Gum 2")
    await phone.page.keyboard.press("Enter")
    await phone.write("What do you have?", NEW)
    await phone.page.keyboard.press("Enter")
    gum = phone.page.locator(".taken > li", has_text="Gum")
    await expect(gum.locator("small")).to_have_text("3 now")
    await expect(row.locator("small")).to_have_text("4 now")
    line.becomes("open")

    async def stored_items() -> list[tuple[str, int, list[str]]]:
        found = home.admin.ask("GET", "/items")["items"]
        return sorted((it["name"], it["quantity"], it["barcodes"]) for it in found)

    await wait_until_equal([("Gum", 3, [NEW]), ("Pens", 4, [CODE])], stored_items)
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line
