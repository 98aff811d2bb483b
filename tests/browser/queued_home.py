"""A home with something for each kind of queued change, and a queue from an earlier version."""

import json
from pathlib import Path
from typing import Any

from homeshelf import clock
from tests.browser.family_home import Home
from tests.browser.share_page import SharedList

FORMER = Path(__file__).parents[1] / "former"
ORDER = ["Bread", "Jam", "Cheese"]


class QueuedHome:
    """A home whose `ids` replace those in the stored queue, by name."""

    def __init__(self, home: Home) -> None:
        self.home, self.admin = home, home.admin
        self.camping = SharedList(home.household, "Tent", "Rope")
        family = self.admin.ask("GET", "/family")["familyId"]
        market = home.store("Market")
        self.ids = {"member": self.admin.member_id, "family": family, "Market": market}
        self.ids["list"] = self.camping.short_id
        for each in self.camping.items:
            self.ids[f"list {each['name']}"] = each["checklistItemId"]
        for name in ("Rice", "Oats", "Eggs", "Figs", "Towels", "Soap"):
            self.ids[f"item {name}"] = home.item(name, 5, 0)
        for name in ("Towels", "Soap"):
            tag = self.admin.ask("POST", f"/items/{self.ids[f'item {name}']}/nfc-urls", {})
            self.ids[f"tag {name}"] = tag["urlId"]
        for name in ("Apples", "Bread", "Cheese", "Dates", "Eggs", "Figs", "Coffee"):
            known = {"name": name, "itemId": self.ids.get(f"item {name}")}
            known |= {"storeId": market} if name in ("Bread", "Cheese") else {}
            entry = self.admin.ask("POST", "/shopping-list", known)
            self.ids[f"entry {name}"] = entry["shoppingItemId"]
        for name in ("Eggs", "Figs", "Coffee"):
            path = f"/shopping-list/{self.ids[f'entry {name}']}"
            self.admin.ask("PATCH", f"{path}/status", {"status": "purchased", "version": 1})
            if name == "Figs":
                self.admin.ask("POST", f"{path}/put-away", {"version": 2})
        self.ids["usual"] = self.usual["Coffee"]

    @property
    def usual(self) -> dict[str, str]:
        """Ids of the usual items by name."""
        found = self.admin.ask("GET", "/shopping-list/usual")["items"]
        return {each["name"]: each["usualId"] for each in found}

    def read_queue(self, name: str) -> dict[str, Any]:
        """Return a stored queue with the ids of this home, as if it had been tried just now."""
        text = (FORMER / name).read_text()
        for old_name, old in json.loads(text)["ids"].items():
            text = text.replace(old, self.ids[old_name])
        queue: dict[str, Any] = json.loads(text)
        for change in queue["stores"]["changes"]:
            change["sent"] = change["sent"] and clock.timestamp()
        return queue
