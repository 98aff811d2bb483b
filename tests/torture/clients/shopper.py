"""Who does the shopping: entries, ticks, putting away and taking back."""

from collections.abc import Iterator
from uuid import uuid4

from tests.torture.clients.client import Client, Way
from tests.torture.recorder import Facts, Partly, Shown

ITEMS, ENTRIES = 3, 12


class Shopper(Client):
    store = ""
    """Where nobody buys anything: its order is what somebody says it is."""

    def ways(self) -> Iterator[Way]:
        if len(self.own("items")) < ITEMS:
            yield from [self.add_item] * 4
        entries = self.own("shopping-list")
        if len(entries) < ENTRIES:
            yield from [self.add_entry] * 4
        yield self.put_in_order
        if entries:
            yield from [self.edit_entry, self.remove_entry]
            yield from [self.tick, self.put_away] * 3
            yield from [self.take_back] * 2
        if len(self.own("items")) == ITEMS:
            yield self.remove_item

    async def add_item(self) -> None:
        new = {"name": self.word(), "quantity": 2, "threshold": self.dice.randrange(4)}
        await self.add("/items", new, "items", "itemId")

    async def add_entry(self) -> None:
        items = self.own("items")
        body: Shown = {"name": self.word()}
        if items and self.dice.random() < 0.6:
            body = {"itemId": self.dice.choice(items)["itemId"], "force": True}
        if self.dice.random() < 0.5:
            body["shoppingItemId"] = str(uuid4())
        body["quantity"] = self.dice.randrange(1, 5)
        await self.add("/shopping-list", body, "shopping-list", "shoppingItemId")

    async def edit_entry(self) -> None:
        entry = self.dice.choice(self.own("shopping-list"))
        body = {"notes": self.word(), "version": entry["version"]}
        await self.edit(_name_of(entry), body)

    async def tick(self) -> None:
        entry = self.dice.choice(self.own("shopping-list"))
        status = "purchased" if entry["status"] == "pending" else "pending"
        body = {"status": status, "version": entry["version"]}
        await self.edit(_name_of(entry), body, f"/{_name_of(entry)}/status")

    async def put_away(self) -> None:
        entry = self._bought(put_away=False)
        if entry is None:
            return
        body: Shown = {"version": entry["version"]}
        linked = entry["itemId"]
        if linked is None:
            ways: list[Shown] = [{"asNewItem": True}, {"withoutItem": True}]
            items = self.own("items")
            ways += [{"itemId": self.dice.choice(items)["itemId"]}] if items else []
            body |= self.dice.choice(ways)
            linked = body.get("itemId")
        touched = (_name_of(entry), *([f"items/{linked}"] if linked else []))
        path = f"/{_name_of(entry)}/put-away"
        await self.change("POST", path, body, _both, touched=touched, makes=("items",))

    async def take_back(self) -> None:
        entry = self._bought(put_away=True)
        if entry is not None:
            touched = [_name_of(entry)]
            item = self.known.get(f"items/{entry['itemId']}")
            touched += [f"items/{entry['itemId']}"] if item and item["quantity"] else []
            body = {"version": entry["version"]}
            path = f"/{touched[0]}/put-away"
            await self.change("DELETE", path, body, _both, touched=tuple(touched))

    async def remove_entry(self) -> None:
        name = _name_of(self.dice.choice(self.own("shopping-list")))
        await self.change("DELETE", f"/{name}", None, lambda _: {name: None}, touched=(name,))

    async def remove_item(self) -> None:
        """Its entries become free text, some of them later."""
        item = self.dice.choice(self.own("items"))
        name = f"items/{item['itemId']}"
        entries = [it for it in self.own("shopping-list") if it["itemId"] == item["itemId"]]
        left = {_name_of(it): Partly(name=it["name"], status=it["status"]) for it in entries}
        await self.change(
            "DELETE",
            f"/{name}",
            None,
            lambda _: {name: None, **left},
            touched=(name, *left),
            is_kept_at=True,
        )

    async def put_in_order(self) -> None:
        names = [self.word() for _ in range(self.dice.randrange(1, 8))]
        name = f"shopping-list/order?storeId={self.store}"
        await self.change(
            "PUT", f"/{name}", {"names": names}, lambda it: {name: it}, touched=(name,)
        )

    async def look(self) -> Facts:
        name = f"shopping-list/order?storeId={self.store}"
        return {name: await self.read(f"/{name}")}

    def own(self, kind: str) -> list[Shown]:
        return [it for it in super().own(kind) if "names" not in it]

    def _bought(self, *, put_away: bool) -> Shown | None:
        found = [
            entry
            for entry in self.own("shopping-list")
            if entry["status"] == "purchased" and (entry["putAwayAt"] is not None) == put_away
            if entry["itemId"] is None or f"items/{entry['itemId']}" in self.known
        ]
        return self.dice.choice(found) if found else None


def _name_of(entry: Shown) -> str:
    return f"shopping-list/{entry['shoppingItemId']}"


def _both(answer: Shown) -> Facts:
    entry, item = answer["shoppingItem"], answer["item"]
    facts: dict[str, Shown | None] = {_name_of(entry): entry}
    return facts | ({f"items/{item['itemId']}": item} if item else {})
