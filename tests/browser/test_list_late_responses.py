"""Late add responses do not bring back deleted entries."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Route, expect

from tests.browser.family_home import Home
from tests.browser.list_page import add, entry_row
from tests.browser.storage import pending_names, wait_until_equal
from tests.browser.visitor import Visitor, Visitors

RESET = """() => document.dispatchEvent(
  new CustomEvent("homeshelf:change", { detail: { type: "reset", id: "", version: null } })
)"""


@dataclass
class UnansweredAddition:
    """A new entry that the server has stored without responding yet."""

    phone: Visitor
    entry_id: str = ""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    async def carry_out(self, route: Route) -> None:
        if route.request.method != "POST":
            return await route.continue_()
        answer = await route.fetch()
        self.entry_id = (await answer.json())["shoppingItemId"]
        self.done.set()
        await self.answered.wait()
        return await route.fulfill(response=answer)

    async def send_response(self) -> None:
        self.answered.set()
        await wait_until_equal([], lambda: pending_names(self.phone))


@pytest.fixture
async def unanswered_addition(visitors: Visitors, home: Home) -> AsyncIterator[UnansweredAddition]:
    home.item("Milk", 3, 0)  # a known item has a picture, so the page reads nothing else
    phone = await home.phone(visitors)
    addition = UnansweredAddition(phone)
    await phone.page.route("**/api/v1/shopping-list", addition.carry_out)
    yield addition
    addition.answered.set()


async def has_received_deletion(unanswered_addition: UnansweredAddition) -> bool:
    found: bool = await unanswered_addition.phone.page.evaluate(
        "(id) => heard.some((change) => change.id === id && change.version === null)",
        unanswered_addition.entry_id,
    )
    return found


async def test_entry_deleted_before_add_response_does_not_return(
    unanswered_addition: UnansweredAddition, home: Home
) -> None:
    phone = unanswered_addition.phone
    await phone.go("/list")
    await add(phone, "Milk")
    await unanswered_addition.done.wait()
    home.admin.ask("DELETE", f"/shopping-list/{unanswered_addition.entry_id}")
    await wait_until_equal(True, lambda: has_received_deletion(unanswered_addition))
    await unanswered_addition.send_response()
    await expect(entry_row(phone, "Milk")).to_have_count(0)


async def test_missed_deletion_is_noticed_on_refresh(
    unanswered_addition: UnansweredAddition, home: Home
) -> None:
    """The whole list is read again while the addition has no response."""
    phone = unanswered_addition.phone
    await phone.page.route("**/api/v1/events*", lambda route: route.abort())
    await phone.go("/list")
    await add(phone, "Milk")
    await unanswered_addition.done.wait()
    home.admin.ask("DELETE", f"/shopping-list/{unanswered_addition.entry_id}")
    async with phone.page.expect_response("**/list/now"):
        await phone.page.evaluate(RESET)
    await expect(entry_row(phone, "Milk")).to_have_count(1)
    await unanswered_addition.send_response()
    await expect(entry_row(phone, "Milk")).to_have_count(0)
