"""A phone in the home network without HTTPS."""

from tests.browser.demo_household import DemoHousehold
from tests.browser.visitor import Visitor, Visitors, expect

NEEDS_HTTPS = "This phone can’t work offline here: that needs HTTPS."


async def _sign_in_mina(visitors: Visitors, household: DemoHousehold) -> Visitor:
    """Sign in by the form: without HTTPS the browser sends no `Origin`."""
    phone = await visitors.arrive(url=household.url.replace("127.0.0.1", "home.test"))
    mina = household.people["Mina"]
    await phone.go("/sign-in")
    await phone.write("E-mail", mina.email)
    await phone.write("Password", mina.password)
    await phone.press("Sign in")
    await phone.reads_above_all("Hello Mina")
    return phone


async def test_plain_http_hint_is_shown_once(visitors: Visitors, household: DemoHousehold) -> None:
    phone = await _sign_in_mina(visitors, household)
    assert not await phone.page.evaluate("isSecureContext")
    await phone.sees(NEEDS_HTTPS)
    await phone.go("/family")
    await phone.reads_above_all("The Lindqvists")
    await phone.sees_nothing_of(NEEDS_HTTPS)


async def test_link_is_copied_over_plain_http(visitors: Visitors, household: DemoHousehold) -> None:
    phone = await _sign_in_mina(visitors, household)
    await phone.go(f"/family/invitations/{household.ids['invitationId']}")
    await phone.press("Share the link")
    await phone.sees("Copied. Paste it anywhere.")
    copied = await phone.page.evaluate("getSelection().toString()")
    assert copied == await phone.field("Link").input_value()


async def test_sign_out_over_plain_http_leaves_nothing_for_back_button(
    visitors: Visitors, household: DemoHousehold
) -> None:
    phone = await _sign_in_mina(visitors, household)
    await phone.go("/family")
    await phone.open("Mina: family and settings")
    await phone.press("Sign out")
    await phone.reads_above_all("Your household’s shared memory")
    await phone.page.go_back()
    await phone.reads_above_all("Welcome back")
    await expect(phone.page.get_by_text("Mina")).to_have_count(0)
