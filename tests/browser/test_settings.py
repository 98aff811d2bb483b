"""A user's settings, with and without scripts."""

import re
from collections.abc import AsyncIterator

import pytest

from homeshelf.demo.household import PASSWORD
from tests.browser.accessibility import find_axe_violations, find_small_targets
from tests.browser.demo_household import DemoHousehold, Resident
from tests.browser.screens import DARK_PHONE, PHONE
from tests.browser.visitor import Visitor, Visitors, expect

NEW_PASSWORD = "another horse battery"

with_and_without_scripts = pytest.mark.parametrize(
    "script", [True, False], ids=["scripts", "without-scripts"]
)


@pytest.fixture
async def person(household: DemoHousehold, unique_name: str) -> AsyncIterator[Resident]:
    """A new user, so that the settings affect no other test."""
    person = household.create_account(unique_name)
    yield person
    person.api.close()


async def _arrive(visitors: Visitors, person: Resident, *, script: bool = True) -> Visitor:
    visitor = await visitors.arrive(script=script)
    await person.sign_in_to(visitor.context)
    return visitor


@with_and_without_scripts
async def test_user_can_change_all_settings(
    visitors: Visitors, person: Resident, script: bool
) -> None:
    visitor = await _arrive(visitors, person, script=script)
    await visitor.go("/settings")
    await visitor.write("Name", f"{person.name} Lovelace")
    await visitor.press("Save name")
    await _expect_announcement(visitor, "Saved.")
    await expect(visitor.field("Name")).to_have_value(f"{person.name} Lovelace")

    await visitor.choose("Dark")
    await visitor.pick("Time zone", "Europe/Stockholm")
    await visitor.choose("Once a day")
    await visitor.press("Save")
    await _expect_announcement(visitor, "Saved.")
    await expect(visitor.field("Time zone")).to_have_value("Europe/Stockholm")
    await expect(visitor.page.get_by_role("radio", name="Once a day")).to_be_checked()

    await visitor.write("Current password", PASSWORD)
    await visitor.write("New password", NEW_PASSWORD)
    await visitor.press("Change password")
    await _expect_announcement(visitor, "Saved.")

    elsewhere = Resident(person.url, person.name, person.email, NEW_PASSWORD)
    assert elsewhere.member_id == person.member_id
    elsewhere.api.close()


async def test_chosen_theme_overrides_device_theme(visitors: Visitors, person: Resident) -> None:
    visitor = await _arrive(visitors, person)
    for theme in ("dark", "light"):
        await visitor.go("/settings")
        await visitor.choose(theme.capitalize())
        await visitor.press("Save")
        await _expect_announcement(visitor, "Saved.")
        for screen in (PHONE, DARK_PHONE):
            await screen.show(visitor.page)
            scheme, ground, around = await _read_colours(visitor)
            assert (scheme, ground) == (theme, around)
        assert await find_axe_violations(visitor.page) == []


async def test_browser_chrome_has_theme_color(visitors: Visitors) -> None:
    visitor = await visitors.arrive()
    await visitor.go("/")
    _, paper, around = await _read_colours(visitor)
    assert paper == around
    await DARK_PHONE.show(visitor.page)
    _, night, around = await _read_colours(visitor)
    assert night == around
    assert sum(night) < sum(paper)


@with_and_without_scripts
async def test_lost_phone_is_signed_out_remotely(
    visitors: Visitors, person: Resident, script: bool
) -> None:
    lost, found = [await _arrive(visitors, person, script=script) for _ in range(2)]
    await lost.go("/settings")
    await found.go("/settings")
    await expect(found.page.get_by_text("This device", exact=True)).to_have_count(1)
    sign_out = found.page.get_by_role("button", name=re.compile("^Sign out ."))
    for remaining in range(await sign_out.count() - 1, -1, -1):
        await sign_out.first.click()
        await expect(sign_out).to_have_count(remaining)
    await _expect_announcement(found, "Saved.")
    await lost.go("/settings")
    await lost.reads_above_all("Welcome back")


@with_and_without_scripts
async def test_sessions_are_paginated(visitors: Visitors, person: Resident, script: bool) -> None:
    visitor = await _arrive(visitors, person, script=script)
    known = {"email": person.email, "password": person.password}
    for _ in range(11):
        person.ask("POST", "/tokens", known)
    await visitor.go("/settings")
    this = visitor.page.get_by_text("This device", exact=True)
    sign_out = visitor.page.get_by_role("button", name=re.compile("^Sign out ."))
    await expect(this).to_have_count(1)
    await expect(sign_out).to_have_count(10)
    await visitor.press("More devices")
    await expect(sign_out).to_have_count(2)
    await expect(this).to_have_count(0)
    if script:
        assert await find_axe_violations(visitor.page) == []
        assert await find_small_targets(visitor.page) == []
    await sign_out.last.click()
    await _expect_announcement(visitor, "Saved.")
    await visitor.press("More devices")
    await expect(sign_out).to_have_count(1)
    await visitor.press("Back to this device")
    await expect(this).to_have_count(1)


@with_and_without_scripts
async def test_account_deletion_requires_typed_address(
    visitors: Visitors, person: Resident, script: bool
) -> None:
    visitor = await _arrive(visitors, person, script=script)
    await visitor.go("/settings")
    await visitor.open("Delete my account…")
    await visitor.write(f"To confirm, enter your address: {person.email}", "somebody@else.example")
    await visitor.write("Enter your password", PASSWORD)
    await visitor.press("Delete my account")
    await expect(visitor.field(f"To confirm, enter your address: {person.email}")).to_be_focused()
    await visitor.sees("Enter your own address, so you don’t delete your account by mistake.")
    if script:
        assert await find_axe_violations(visitor.page) == []
        assert await find_small_targets(visitor.page) == []

    await visitor.write(f"To confirm, enter your address: {person.email}", person.email)
    await visitor.write("Enter your password", PASSWORD)
    await visitor.press("Delete my account")
    await visitor.reads_above_all("Your household’s shared memory")
    await visitor.go("/sign-in")
    await visitor.write("E-mail", person.email)
    await visitor.write("Password", PASSWORD)
    await visitor.press("Sign in")
    await visitor.sees("That address or password isn’t right.")


@with_and_without_scripts
async def test_wrong_password_shows_error_at_field(
    visitors: Visitors, person: Resident, script: bool
) -> None:
    visitor = await _arrive(visitors, person, script=script)
    await visitor.go("/settings")
    await visitor.write("Current password", "not my password")
    await visitor.write("New password", NEW_PASSWORD)
    await visitor.press("Change password")
    wrong = visitor.field("Current password")
    await expect(wrong).to_be_focused()
    await expect(wrong).to_have_accessible_description("That isn’t your password.")
    await expect(wrong).to_have_value("")


async def _expect_announcement(visitor: Visitor, text: str) -> None:
    """Check that the message has the focus, so that a screen reader announces it."""
    said = visitor.page.get_by_role("status").filter(has_text=text)
    await expect(said).to_be_focused()


async def _read_colours(visitor: Visitor) -> tuple[str, list[int], list[int]]:
    """Return the color scheme, the page background and the browser's theme color."""
    found: tuple[str, list[int], list[int]] = await visitor.page.evaluate(_COLOURS)
    return found


_COLOURS = """() => {
  const pixel = (colour) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const metas = [...document.querySelectorAll("meta[name=theme-color]")];
  const [meta] = metas.filter((one) => !one.media || matchMedia(one.media).matches);
  const style = getComputedStyle(document.documentElement);
  return [style.colorScheme, pixel(style.backgroundColor), pixel(meta.content)];
}"""
