"""A family for a test that changes its data."""

from dataclasses import dataclass
from typing import Any

from tests.browser.demo_household import DemoHousehold, Resident
from tests.browser.visitor import Visitor, Visitors


@dataclass(frozen=True)
class Home:
    admin: Resident
    household: DemoHousehold

    def item(self, name: str, quantity: int, threshold: int, **more: Any) -> str:
        known = {"name": name, "quantity": quantity, "threshold": threshold, **more}
        item_id: str = self.admin.ask("POST", "/items", known)["itemId"]
        return item_id

    def store(self, name: str) -> str:
        store_id: str = self.admin.ask("POST", "/stores", {"name": name})["storeId"]
        return store_id

    def child(self, name: str) -> Resident:
        child = self.household.people[name] = self.household.create_account(name)
        known = {"email": child.email, "role": "suggester"}
        link: str = self.admin.ask("POST", "/invitations", known)["link"]
        child.ask("POST", "/invitations/accept", {"token": link.rsplit("/", 1)[1]})
        return child

    def rename(self) -> dict[str, Any]:
        """Rename the family, which changes only the family page but is announced to all pages."""
        family = self.admin.ask("GET", "/family")
        name = f"{family['name'][:20]} {family['version'] + 1}"
        return self.admin.ask("PATCH", "/family", {"name": name, "version": family["version"]})

    async def phone(self, visitors: Visitors, who: Resident | None = None, **more: Any) -> Visitor:
        visitor = await visitors.arrive(**more)
        await (who or self.admin).sign_in_to(visitor.context, more.get("url", ""))
        return visitor


def create_home(household: DemoHousehold, name: str) -> Home:
    admin = household.people[name] = household.create_account(name)
    admin.ask("POST", "/families", {"name": f"House of {name}"})
    return Home(admin, household)
