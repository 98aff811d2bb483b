"""A queue that an earlier version stored in the browser is sent, whatever it holds."""

import json
from pathlib import Path
from typing import Any

from homeshelf import clock
from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, expect_bought, listed_entries
from tests.browser.share_page import SharedList
from tests.browser.stock_page import place_by_item, quantity_by_item
from tests.browser.storage import CHANGES, JOURNAL_SIZE, SHELL, open_phone, wait_until_equal
from tests.browser.visitor import Visitors, expect
from tests.network import Line

FORMER = Path(__file__).parents[1] / "former"
ORDER = ["Bread", "Jam", "Cheese"]
QUEUE = "queue_2026_11_19.json"
KINDS = {
    "entry.add",
    "entry.away",
    "entry.back",
    "entry.edit",
    "entry.remove",
    "entry.tick",
    "item.adjust",
    "list.order",
    "share.tick",
    "stock.add",
    "stock.count",
    "stock.place",
    "stock.remove",
    "tap",
    "usual.forget",
}


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
        self.ids["usual"] = self.usual_ids["Coffee"]

    @property
    def usual_ids(self) -> dict[str, str]:
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


def test_stored_queue_has_a_change_of_each_kind() -> None:
    queue = json.loads((FORMER / QUEUE).read_text())
    assert {change["kind"] for change in queue["stores"]["changes"]} == KINDS


async def test_stored_queue_is_sent_once_the_browser_is_online(
    home: Home, visitors: Visitors, line: Line
) -> None:
    queued = QueuedHome(home)
    phone = await open_phone(home, visitors, line, "/list")
    await phone.go("/api/v1/me")  # a page without scripts
    await phone.page.evaluate(_STORE, queued.read_queue(QUEUE))
    line.becomes("cut")
    await phone.go("/list")
    assert {*await phone.page.evaluate(_REGISTERED)} >= KINDS
    await expect_bought(phone, "Apples", yes=True)
    await expect(entry_row(phone, "jam")).to_have_count(1)
    line.becomes("open")
    await wait_until_equal([], lambda: phone.page.evaluate(CHANGES), 40)
    await wait_until_equal(0, lambda: phone.page.evaluate(JOURNAL_SIZE))
    visitors.complaints.clear()  # the browser reports the requests that failed on the cut line
    assert listed_entries(home) == [
        "Apples purchased",
        "Bread",
        "Cheese the old one",
        "Coffee purchased",
        "Eggs purchased",
        "Figs purchased",
        "jam 2",
    ]
    assert await quantity_by_item(home) == {
        "Eggs": 7,
        "Figs": 5,
        "Gin": 1,
        "Oats": 4,
        "Rice": 3,
        "Soap": 4,
        "Towels": 4,
        "Wine": 8,
    }
    assert place_by_item(home)["Gin"] == "Cellar"
    path = f"/shopping-list/order?storeId={queued.ids['Market']}"
    assert home.admin.ask("GET", path)["names"] == ORDER
    assert "Coffee" not in queued.usual_ids
    assert queued.camping.ticked == ["Tent"]


_REGISTERED = f"""async () => {{
  const {{ loadKinds, kinds }} = ({SHELL}).queue$kinds;
  await loadKinds([{{ kind: "any" }}]);
  return Object.keys(kinds);
}}"""
_STORE = """({ version, keys, stores, localStorage: notes }) => new Promise((done, fail) => {
  const opening = indexedDB.open("homeshelf", version);
  opening.onupgradeneeded = ({ target: { result: db } }) => {
    for (const [name, key] of Object.entries(keys)) db.createObjectStore(name, key);
  };
  opening.onerror = () => fail(opening.error);
  opening.onsuccess = ({ target: { result: db } }) => {
    const writing = db.transaction(Object.keys(stores), "readwrite");
    for (const [name, records] of Object.entries(stores))
      for (const each of records) writing.objectStore(name).put(each);
    writing.oncomplete = () => (db.close(), done());
  };
  Object.assign(localStorage, notes);
})"""
