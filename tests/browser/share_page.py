"""Helpers for the page of a shared list."""

from typing import Any

import httpx
from playwright.async_api import Locator, Page

from tests.browser.demo_household import NO_CERTIFICATES, DemoHousehold
from tests.browser.visitor import expect


class SharedList:
    """A shared list with its API."""

    def __init__(self, household: DemoHousehold, *names: str, **known: Any) -> None:
        self.url = f"{household.url}/api/v1/shareables"
        items = [{"name": name} for name in names]
        made = {"name": "Camping", "items": items, **known}
        answer = httpx.post(self.url, json=made, verify=NO_CERTIFICATES)
        assert answer.status_code == 201, answer.text
        self.short_id: str = answer.json()["shortId"]
        self.token: str = answer.json().get("token", "")
        self.path = f"/s/{self.short_id}"

    def ask(self, method: str, body: Any = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        url = f"{self.url}/{self.short_id}"
        answer = httpx.request(method, url, json=body, headers=headers, verify=NO_CERTIFICATES)
        assert answer.is_success, answer.text
        return answer

    @property
    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask("GET").json()["items"]
        return found

    def tick(self, name: str) -> None:
        (item,) = [each for each in self.items if each["name"] == name]
        path = f"{self.url}/{self.short_id}/items/{item['checklistItemId']}"
        assert httpx.patch(path, json={"checked": True}, verify=NO_CERTIFICATES).is_success

    @property
    def names(self) -> list[str]:
        return [item["name"] for item in self.items]

    @property
    def ticked(self) -> list[str]:
        return [item["name"] for item in self.items if item["checked"]]


def checklist_row(page: Page, name: str) -> Locator:
    return page.locator("li.entry").filter(has_text=name)


def tick(page: Page, name: str) -> Locator:
    return checklist_row(page, name).locator("button.tick-row")


async def is_ticked(page: Page, name: str, *, ticked: bool = True) -> None:
    pressed = "true" if ticked else "false"
    await expect(tick(page, name)).to_have_attribute("aria-pressed", pressed)
