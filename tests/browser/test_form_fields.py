"""Fields with scripts of their own: passwords, long lists of options, and barcodes."""

from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.visitor import Visitors


async def test_typed_password_can_be_shown_after_a_failed_sign_up(
    visitors: Visitors, household: DemoHousehold
) -> None:
    visitor = await visitors.arrive()
    await visitor.go("/sign-up")
    for password in ("correct horse", "correct horse again"):
        await visitor.write("What should we call you?", "Mina")
        await visitor.write("E-mail", household.people["Mina"].email)
        await visitor.write("Password", password)
        field = visitor.page.locator("#password")
        show = visitor.page.get_by_role("button", name="Show what you typed", pressed=False)
        await show.focus()
        await visitor.page.keyboard.press("Enter")
        await expect(field).to_have_attribute("type", "text")
        await expect(field).to_have_value(password)
        await visitor.press("Sign up")
        await visitor.sees("Enter your password again.")
        await expect(field).to_have_attribute("type", "password")
        await expect(field).to_be_editable()


async def test_time_zones_are_found_by_city_or_country(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    person = household.people[unique_name] = household.create_account(unique_name)
    visitor = await visitors.arrive(locale="de")
    await person.sign_in_to(visitor.context)
    await visitor.go("/settings")
    zones = visitor.page.locator("#timeZone")
    await expect(zones.locator("option", has_text="Etc/")).to_have_count(0)
    search = visitor.page.get_by_role("searchbox", name="Stadt oder Land suchen")
    await search.fill("österr")
    await expect(zones.locator("option")).to_have_text(["Wien · Österreich"])
    await search.press("Enter")
    await expect(zones).to_be_focused()
    form = visitor.page.locator("form[action='/settings/preferences']")
    await form.get_by_role("button").last.click()
    await visitor.sees("Gespeichert")
    await expect(zones).to_have_value("Europe/Vienna")
    assert person.ask("GET", "/me/preferences")["timeZone"] == "Europe/Vienna"


async def test_page_explains_if_the_browser_cannot_scan(visitors: Visitors) -> None:
    hint = "This browser can’t scan barcodes with the camera."
    for script in (False, True):
        visitor = await visitors.arrive("Mina", script=script)
        await visitor.go("/stock/scan")
        scan = visitor.page.get_by_role("button", name="Scan barcode")
        await expect(scan).to_be_visible(visible=script)
        await expect(visitor.page.get_by_text(hint)).to_be_visible(visible=not script)
