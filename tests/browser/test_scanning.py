"""Scanning barcodes with a phone's camera."""

from base64 import b64encode

from tests.barcode_pictures import png_barcode
from tests.browser.family_home import Home
from tests.browser.storage import open_phone, wait_until_equal
from tests.browser.visitor import Visitors, expect
from tests.network import Line

CODE, NEW, ISBN = "4006381333931", "96385074", "9780306406157"
PICTURE = f"data:image/png;base64,{b64encode(png_barcode(CODE)).decode()}"
DETECTOR = """
window.before = [];
window.BarcodeDetector = class {
  async detect() { return window.before.map((rawValue) => ({ rawValue })); }
};
"""
"""Stand-in for `BarcodeDetector`, which Chromium has only on phones."""
CAMERA = """
const shown = document.createElement("canvas");
Object.assign(shown, { width: 640, height: 480 });
navigator.mediaDevices.getUserMedia = async () => shown.captureStream(10);
const pencil = shown.getContext("2d");
const picture = new Image();
setInterval(() => {
  pencil.fillRect(0, 0, 640, 480);
  if (picture.complete) pencil.drawImage(picture, 100, 180);
}, 50);
window.showPicture = (url) => (picture.src = url);
"""
"""A camera that films a canvas. `showPicture` puts a barcode before it."""


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


async def test_server_reads_barcode_if_browser_cannot(home: Home, visitors: Visitors) -> None:
    home.item("Pens", 3, 0, barcodes=[CODE])
    phone = await home.phone(visitors)
    await phone.page.add_init_script(CAMERA)
    await phone.go("/stock/scan")
    await phone.press("Scan barcode")
    await expect(phone.page.locator("video")).to_be_visible()
    await phone.found("Stop the camera").wait_for()
    await phone.page.evaluate("(url) => showPicture(url)", PICTURE)
    await phone.sees("Pens")


async def test_photo_is_read_without_live_camera(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors)
    await phone.page.add_init_script(
        "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })"
    )
    await phone.go("/books/new")
    for photo in (b"not a picture", png_barcode(ISBN)):
        async with phone.page.expect_file_chooser() as choosing:
            await phone.press("Scan barcode")
        file = await choosing.value
        await file.set_files({"name": "photo.png", "mimeType": "image/png", "buffer": photo})
        if photo == b"not a picture":
            await phone.sees("There’s no barcode in this picture.")
    await expect(phone.field("ISBN")).to_have_value(ISBN)


async def test_camera_stops_with_an_explanation_if_server_does_not_answer(
    home: Home, visitors: Visitors, line: Line
) -> None:
    phone = await home.phone(visitors, url=line.url)
    await phone.page.add_init_script(CAMERA)
    await phone.go("/stock/scan")
    line.becomes("cut")
    await phone.press("Scan barcode")
    await phone.sees("Barcodes can’t be read right now. You can type the number.")
    await expect(phone.page.locator("video")).to_be_hidden()
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line


async def test_digits_can_be_typed_without_barcode_detector(home: Home, visitors: Visitors) -> None:
    home.item("Pens", 3, 0, barcodes=[CODE])
    phone = await home.phone(visitors)
    await phone.go("/stock/scan")
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
