"""Signing out while the browser's database is busy."""

import pytest

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home
from tests.browser.stock_page import adjustments_of, count_output, expect_waiting, press_steppers
from tests.browser.storage import BLOCK_DATABASE, JOURNAL_SIZE, SHORTEN_TIMEOUTS, pending_names
from tests.browser.visitor import Visitor, Visitors, expect

NOT_KNOWN = "We can’t tell right now if everything is sent."
ENTRANCE = "Your household’s shared memory"


@pytest.fixture
async def phone(home: Home, visitors: Visitors) -> Visitor:
    phone = await home.phone(visitors)
    await phone.go("/family")
    assert await pending_names(phone) == []  # creates the database
    await phone.page.evaluate(SHORTEN_TIMEOUTS)
    return phone


@pytest.fixture
async def second_page(phone: Visitor) -> Visitor:
    """Another page of the same browser, which can block the database."""
    other = Visitor(phone.context, await phone.context.new_page())
    await other.page.goto("/api/v1/me")  # a response without scripts
    await other.page.evaluate(BLOCK_DATABASE)
    await phone.page.bring_to_front()
    return other


async def sign_out(phone: Visitor, home: Home) -> None:
    await phone.open(f"{home.admin.name}: family and settings")
    await phone.press("Sign out")


async def test_sign_out_with_unreadable_queue_asks_for_confirmation(
    phone: Visitor, home: Home, second_page: Visitor
) -> None:
    await sign_out(phone, home)
    await phone.sees(NOT_KNOWN)
    await phone.press("Stay")
    await phone.reads_above_all(f"House of {home.admin.name}")
    await second_page.page.evaluate("isBusy = false")
    await sign_out(phone, home)
    await phone.reads_above_all(ENTRANCE)


async def test_confirmed_sign_out_works_despite_busy_database(
    phone: Visitor, home: Home, second_page: Visitor
) -> None:
    await sign_out(phone, home)
    await phone.sees(NOT_KNOWN)
    await phone.press("Leave anyway")
    await phone.reads_above_all(ENTRANCE)
    assert await second_page.page.evaluate("isBusy")


async def test_sign_out_over_plain_http_deletes_journal(
    visitors: Visitors, household: DemoHousehold, home: Home
) -> None:
    """`Clear-Site-Data` does not work without HTTPS."""
    rice = home.item("Rice", 5, 0)
    phone = await visitors.arrive(url=household.url.replace("127.0.0.1", "home.test"))
    await sign_in(phone, home)
    await phone.go("/stock")
    assert await pending_names(phone) == []
    await phone.page.evaluate(BLOCK_DATABASE)
    await phone.page.evaluate(SHORTEN_TIMEOUTS)
    await press_steppers(phone, -1)
    await expect_waiting(phone)
    assert await phone.page.evaluate(JOURNAL_SIZE) == 1
    await sign_out(phone, home)
    await phone.sees("Rice isn’t sent yet.")
    await phone.press("Leave anyway")
    await phone.reads_above_all(ENTRANCE)
    assert await phone.page.evaluate(JOURNAL_SIZE) == 0
    await sign_in(phone, home)
    await phone.go("/stock")
    assert await pending_names(phone) == []
    await expect(count_output(phone)).to_have_text("5")
    assert adjustments_of(home, rice) == []


async def sign_in(phone: Visitor, home: Home) -> None:
    """Sign in by the form: without HTTPS the browser sends no `Origin`."""
    await phone.go("/sign-in")
    await phone.write("E-mail", home.admin.email)
    await phone.write("Password", home.admin.password)
    await phone.press("Sign in")
    await phone.reads_above_all(f"Hello {home.admin.name}")
