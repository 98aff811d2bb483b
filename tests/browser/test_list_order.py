"""Order and quantities on the list, and putting away."""

from typing import Any

from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, expect_bought, pending_entry_names, tick
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import Visitor, Visitors


async def open_list(home: Home, visitors: Visitors, *things: str, **more: Any) -> Visitor:
    for name in things:
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await home.phone(visitors, **more)
    await phone.go("/list")
    return phone


async def order_of(home: Home) -> list[str]:
    found: list[str] = home.admin.ask("GET", "/shopping-list/order?storeId=unassigned")["names"]
    return found


async def test_dragged_row_order_is_saved_for_the_family(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors, "Apples", "Bread", "Cheese")
    first, last = entry_row(phone, "Apples"), entry_row(phone, "Cheese")
    from_, to = await first.bounding_box(), await last.bounding_box()
    assert from_
    assert to
    mouse = phone.page.mouse
    await mouse.move(from_["x"] + 80, from_["y"] + 20)
    await mouse.down()
    await mouse.move(from_["x"] + 80, from_["y"] + 60, steps=4)
    await mouse.move(to["x"] + 80, to["y"] + 45, steps=6)
    await mouse.up()
    assert await pending_entry_names(phone) == ["Bread", "Cheese", "Apples"]
    await expect_bought(phone, "Apples", yes=False)
    await wait_until_equal(["Bread", "Cheese", "Apples"], lambda: order_of(home))
    other = await open_list(home, visitors)
    assert await pending_entry_names(other) == ["Bread", "Cheese", "Apples"]


async def test_long_press_drags_row_and_tap_ticks_it(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors, "Apples", "Bread", "Cheese")
    box = await entry_row(phone, "Cheese").bounding_box()
    above = await entry_row(phone, "Apples").bounding_box()
    assert box
    assert above
    touch = await phone.context.new_cdp_session(phone.page)

    async def dispatch_touch(kind: str, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": box["x"] + 80, "y": y}]
        await touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    await dispatch_touch("touchStart", box["y"] + 20)
    await expect(entry_row(phone, "Cheese")).to_have_class("entry order-moving")
    for y in (box["y"] - 10, above["y"] + 40, above["y"] + 5):
        await dispatch_touch("touchMove", y)
    await dispatch_touch("touchEnd", 0)
    assert await pending_entry_names(phone) == ["Cheese", "Apples", "Bread"]
    await expect_bought(phone, "Cheese", yes=False)
    await wait_until_equal(["Cheese", "Apples", "Bread"], lambda: order_of(home))


async def test_alt_arrow_moves_row_and_announces_position(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors, "Apples", "Bread", "Cheese")
    place = entry_row(phone, "Apples").locator(".tick-row")
    await place.focus()
    await phone.page.keyboard.press("Alt+ArrowDown")
    assert await pending_entry_names(phone) == ["Bread", "Apples", "Cheese"]
    await expect(place).to_be_focused()
    await expect(phone.page.locator(".spoken")).to_have_text("Apples is now 2 of 3")
    await entry_row(phone, "Cheese").get_by_role("link", name="Edit Cheese").click()
    await phone.press("Move up")
    assert await pending_entry_names(phone) == ["Bread", "Cheese", "Apples"]
    await wait_until_equal(["Bread", "Cheese", "Apples"], lambda: order_of(home))


async def test_handle_moves_row_by_dragging_and_with_arrow_keys(
    visitors: Visitors, home: Home
) -> None:
    phone = await open_list(home, visitors, "Apples", "Bread", "Cheese")
    handle = entry_row(phone, "Apples").get_by_role(
        "button", name="Move Apples: use the arrow keys"
    )
    last = await entry_row(phone, "Cheese").bounding_box()
    assert last
    await handle.hover()
    await phone.page.mouse.down()
    await phone.page.mouse.move(20, last["y"] + 45, steps=6)
    await phone.page.mouse.up()
    assert await pending_entry_names(phone) == ["Bread", "Cheese", "Apples"]
    await wait_until_equal(["Bread", "Cheese", "Apples"], lambda: order_of(home))
    await handle.focus()
    await phone.page.keyboard.press("ArrowUp")
    assert await pending_entry_names(phone) == ["Bread", "Apples", "Cheese"]
    await expect(handle).to_be_focused()
    await expect(phone.page.locator(".spoken")).to_have_text("Apples is now 2 of 3")
    await wait_until_equal(["Bread", "Apples", "Cheese"], lambda: order_of(home))
    await tick(phone, "Bread")
    await expect(entry_row(phone, "Bread").locator(".grip")).to_be_hidden()


async def test_row_stepper_changes_quantity(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors, "Apples", "Bread")
    other = await open_list(home, visitors)
    await (
        entry_row(phone, "Apples")
        .get_by_role("button", name="Apples: 1. Change the amount")
        .click()
    )
    less = entry_row(phone, "Apples").get_by_role("button", name="One less Apples")
    more = entry_row(phone, "Apples").get_by_role("button", name="One more Apples")
    await expect(less).to_be_disabled()
    for _ in range(3):
        await more.click()
    await less.click()
    await expect(entry_row(phone, "Apples").locator("output")).to_have_text("3")
    await expect_bought(phone, "Apples", yes=False)
    await expect(entry_row(other, "Apples").locator("output")).to_have_text("3")
    await less.click()
    await less.click()
    await expect(entry_row(phone, "Apples").locator("output")).to_have_text("1")
    await expect(less).to_be_disabled()
    await expect(entry_row(phone, "Apples").locator(".count")).to_be_focused()
    await (
        entry_row(phone, "Bread").get_by_role("button", name="Bread: 1. Change the amount").click()
    )
    await expect(more).to_be_hidden()
    await phone.page.keyboard.press("Escape")
    await expect(
        entry_row(phone, "Bread").get_by_role("button", name="One more Bread")
    ).to_be_hidden()
    await expect(entry_row(phone, "Bread").locator(".count")).to_be_focused()
