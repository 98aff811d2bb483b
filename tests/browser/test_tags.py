"""Admins create tags, print labels, write stickers and stop tags."""

import re

import pytest
from playwright.async_api import Page

from tests.browser.accessibility import find_axe_violations, find_overflowing
from tests.browser.family_home import Home
from tests.browser.screens import DARK_PHONE, PHONE
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors, expect

MM = 96 / 25.4
PHONE_THAT_WRITES = """
  window.NDEFReader = class {
    write(message, { signal }) {
      window.wrote = message;
      return new Promise((done, failed) => {
        window.touch = done;
        window.fail = (name) => failed(new DOMException("", name));
        signal.addEventListener("abort", () => failed(signal.reason));
      });
    }
  };
"""


def create_tag(home: Home, item_id: str, label: str) -> str:
    made = home.admin.ask("POST", f"/items/{item_id}/nfc-urls", {"label": label})
    return str(made["urlId"])


def active_labels(home: Home) -> list[str]:
    found = home.admin.ask("GET", "/nfc-urls")["items"]
    return [each.get("label", "") for each in found]


async def sign_in(
    visitors: Visitors, home: Home, kind: type[Visitor] = Visitor, *, script: bool = True
) -> Visitor:
    visitor = await visitors.arrive(kind=kind, script=script)
    await home.admin.sign_in_to(visitor.context)
    return visitor


@pytest.mark.parametrize("kind", [Visitor, KeyboardVisitor], ids=["thumb", "keyboard"])
async def test_tag_is_created_and_stopped_in_two_taps(
    visitors: Visitors, home: Home, kind: type[Visitor]
) -> None:
    towels = home.item("Paper Towels", 4, 0)
    create_tag(home, towels, "fridge")
    ada = await sign_in(visitors, home, kind)
    await ada.go(f"/stock/{towels}/tags")
    await ada.page.locator("#label").fill("pantry")
    await ada.press("Create a tag")
    await ada.sees("Here’s the new tag.")
    address = ada.page.get_by_label("Link", exact=True).first
    await expect(address).to_have_value(re.compile(r"/t/\w{22}$"))
    assert sorted(active_labels(home)) == ["fridge", "pantry"]

    await ada.go(f"/stock/{towels}")
    lost = ada.page.locator("summary").filter(has_text="fridge")
    stop = ada.page.get_by_role("button", name="Turn off for good").and_(
        ada.page.locator("details[open] button")
    )
    if kind is Visitor:
        await lost.click()
        await expect(ada.page.locator("details[open]")).to_contain_text(
            "The tag stops working right away, for everyone and for good"
        )
        await stop.click()
    else:
        await lost.focus()
        await ada.page.keyboard.press("Enter")
        await ada.page.keyboard.press("Tab")
        await expect(stop).to_be_focused()
        await ada.page.keyboard.press("Enter")
    await ada.sees("Turned off. The tag’s link no longer works.")
    assert active_labels(home) == ["pantry"]


async def test_tag_rotation_warns_and_shows_new_address(visitors: Visitors, home: Home) -> None:
    towels = home.item("Paper Towels", 4, 0)
    old = create_tag(home, towels, "pantry")
    ada = await sign_in(visitors, home)
    await ada.go(f"/stock/{towels}/tags")
    await ada.open("New link")
    await ada.sees("The old link stops working right away, for everyone.")
    await ada.press("Replace link")
    await ada.sees("The tag has a new link, and the old one is dead.")
    await expect(ada.page.get_by_role("heading", name="pantry", level=2)).to_be_visible()
    shown = ada.page.get_by_label("Link", exact=True)
    await expect(shown).to_be_visible()
    assert old not in await shown.input_value()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
async def test_label_sheet_holds_chosen_items(visitors: Visitors, home: Home, script: bool) -> None:
    towels, coffee = home.item("Paper Towels", 4, 0), home.item("Coffee", 2, 0)
    for item_id, label in ((towels, "pantry"), (towels, "bath"), (coffee, "machine")):
        create_tag(home, item_id, label)
    ada = await sign_in(visitors, home, script=script)
    await ada.go("/")
    await ada.open(f"{home.admin.name}: family and settings")
    await ada.press("Tags")
    for label in ("pantry", "machine"):
        await ada.page.get_by_role("checkbox", name=label).check()
    await ada.choose("Letter")
    await ada.press("Preview labels")
    labels = ada.page.locator(".label-card")
    await expect(labels).to_have_text(["☕Coffeemachine", "🧻Paper Towelspantry"])
    await ada.page.get_by_role("link", name="A4", exact=True).click()
    await expect(ada.page.locator(".labels-a4 .label-card")).to_have_count(2)


async def measure_labels(page: Page) -> list[dict[str, float]]:
    """Return the size of each label and its code in millimeters, and its overflow."""
    found: list[dict[str, float]] = await page.evaluate(
        """(mm) => [...document.querySelectorAll(".label-card")].map((card) => {
          const { width, height } = card.getBoundingClientRect();
          const words = card.querySelector("p").getBoundingClientRect();
          const code = card.querySelector("svg").getBoundingClientRect();
          return {
            width: width / mm, height: height / mm, code: code.width / mm, tall: code.height / mm,
            over: Math.max(words.height - height, card.scrollWidth - card.clientWidth),
          };
        })""",
        MM,
    )
    return found


async def test_print_button_prints_labels(visitors: Visitors, home: Home) -> None:
    create_tag(home, home.item("Salt", 1, 0), "pantry")
    ada = await sign_in(visitors, home)
    await ada.page.add_init_script("window.print = () => (window.printed = true)")
    await ada.go("/tags/print")
    await ada.press("Print 1 label")
    assert await ada.page.evaluate("window.printed")


@pytest.mark.parametrize(("paper", "points"), [("A4", "595 842"), ("Letter", "612 792")])
async def test_labels_have_real_sizes_on_paper(
    visitors: Visitors, home: Home, paper: str, points: str
) -> None:
    names = ["Geschirrspülmaschinentabs", "x" * 63, "👨‍👩‍👧‍👦 خبز عربي", "Salt", "word " * 19]
    for name in names:
        item_id = home.item(name, 1, 0)
        for number in range(4):
            create_tag(home, item_id, f"{number} " + "behind the stairs " * min(number, 2))
    ada = await sign_in(visitors, home)
    await ada.page.emulate_media(color_scheme="dark")
    await ada.go(f"/tags/print?paper={paper}")
    sheet = await ada.page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", sheet)
    sizes = {f"{float(width):.0f} {float(height):.0f}" for width, height in boxes}
    assert sizes == {points}
    assert len(re.findall(rb"/Type /Page\b", sheet)) == 2  # three fit side by side
    await ada.page.emulate_media(media="print", color_scheme="dark")
    for label in await measure_labels(ada.page):
        assert label["width"] == pytest.approx(60, abs=0.1)
        assert label["height"] == pytest.approx(40, abs=0.1)
        assert label["code"] == pytest.approx(30, abs=0.1)
        assert label["tall"] == pytest.approx(30, abs=0.1)
        assert label["over"] <= 0
    colours = "(one) => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
    card = ada.page.locator(".label-card").first
    assert await card.evaluate(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    for hidden in (".top", ".places", "h1"):
        await expect(ada.page.locator(hidden)).to_be_hidden()


async def test_phone_with_nfc_writes_tag_address(visitors: Visitors, home: Home) -> None:
    towels = home.item("Paper Towels", 4, 0)
    create_tag(home, towels, "fridge")
    url_id = create_tag(home, towels, "pantry")
    ada = await sign_in(visitors, home)
    await ada.go(f"/stock/{towels}/tags?said=made")
    await expect(ada.found("Write to a tag")).to_be_hidden()
    await ada.page.add_init_script(PHONE_THAT_WRITES)
    await ada.page.reload()
    await ada.press("Write to a tag")
    await ada.sees("Hold the tag to the back of the phone.")
    url = f"{home.household.url}/t/{url_id}"
    expected = {"records": [{"recordType": "url", "data": url}]}
    assert await ada.page.evaluate("wrote") == expected
    await ada.page.evaluate("touch()")
    await ada.sees("Done. Touch the tag to try it.")
    for name, words in (
        ("NotAllowedError", "This page can’t write tags."),
        ("NotSupportedError", "Is NFC on?"),
        ("NetworkError", "Hold the tag still and try again."),
    ):
        await ada.press("Write to a tag")
        await ada.sees("Hold the tag to the back of the phone.")
        await ada.page.evaluate("(name) => fail(name)", name)
        await ada.sees(words)
    await ada.press("Write to a tag")
    create_tag(home, towels, "cellar")
    await ada.sees("cellar")
    await ada.sees("Hold the tag to the back of the phone.")
    await ada.press("Cancel")
    await expect(ada.found("Write to a tag")).to_be_visible()
    await ada.sees_nothing_of("Hold the tag")


async def test_unfolded_page_is_accessible(visitors: Visitors, home: Home) -> None:
    """With a long name, and the parts that only some phones and tags have."""
    towels = home.item("Geschirrspülmaschinentabs" * 3, 4, 0)
    create_tag(home, towels, "x" * 50)
    ada = await sign_in(visitors, home)
    await ada.page.add_init_script(PHONE_THAT_WRITES)
    for path in (f"/stock/{towels}/tags", f"/stock/{towels}", "/tags", "/tags/print"):
        await ada.go(path)
        await ada.page.evaluate(
            "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"
        )
        for screen in (PHONE, DARK_PHONE):
            await screen.show(ada.page)
            assert await find_axe_violations(ada.page) == []
        assert await find_overflowing(ada.page, 320) == []
