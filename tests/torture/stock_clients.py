"""Clients that keep the stock: items, batches of a hundred, places, barcodes and notices."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from homeshelf.inventory.barcodes import is_valid_barcode
from tests.torture.recorder import Client, Facts, PartlyKnown, Shown, Way

FEW, MANY = 6, 130
ID_OF = {"locations": "locationId", "stores": "storeId"}


class Keeper(Client):
    hot = ""
    """The item that all clients change."""

    def possible_actions(self) -> Iterator[Way]:
        items = len(self.own_records("items"))
        if items < FEW:
            yield from [self.add_item] * 4
        if items < MANY:
            yield self.add_batch
        yield self.adjust_hot
        yield from (self.add_place, self.edit_place, self.remove_place)
        if items:
            yield from [self.adjust, self.edit_item, self.set_status, self.acknowledge] * 2
            yield from [self.remove_item] * (1 if items <= FEW else 12)

    async def add_item(self) -> None:
        new = self._new_item() | {"locationId": self._place("locations")}
        await self.add("/items", new, "items", "itemId")

    async def add_batch(self) -> None:
        """Add items named by their batch, of which all exist or none."""
        size, batch = self.dice.choice([5, 20, 100]), self.new_word()
        items = [self._new_item() | {"itemId": str(uuid4())} for _ in range(size)]
        for number, item in enumerate(items):
            item |= {"name": f"{number} of {size} in {batch}", "barcodes": []}
        await self.change(
            "POST",
            "/items/batch",
            {"items": items},
            lambda made: {f"items/{each['itemId']}": each for each in made["items"]},
            is_kept_at=True,
        )

    async def adjust(self) -> None:
        item = self._active()
        if item is not None:
            name = f"items/{item['itemId']}"
            body = {"delta": self.dice.choice([-5, -2, -1, 1, 3])}
            await self.change(
                "POST", f"/{name}/adjust", body, lambda it: {name: it["item"]}, touched=(name,)
            )

    async def adjust_hot(self) -> None:
        delta = self.dice.choice([-1, 1, 2])
        path = f"/{self.hot}/adjust"
        await self.change("POST", path, {"delta": delta}, lambda _: {}, counts=(self.hot, delta))

    async def edit_item(self) -> None:
        item = self.dice.choice(self.own_records("items"))
        changes: list[Shown] = [
            {"notes": self.new_word()},
            {"name": self.new_word()},
            {"threshold": self.dice.randrange(9)},
            {"barcodes": [self._barcode()]},
            {"locationId": self._place("locations")},
            {"preferredStoreId": self._place("stores")},
        ]
        body = self.dice.choice(changes) | {"version": item["version"]}
        if "of" in item["name"].split():
            body.pop("name", None)
        await self.edit(f"items/{item['itemId']}", body)

    async def set_status(self) -> None:
        item = self.dice.choice(self.own_records("items"))
        verb = "archive" if item["status"] == "active" else "unarchive"
        name = f"items/{item['itemId']}"
        await self.change("POST", f"/{name}/{verb}", None, lambda it: {name: it}, touched=(name,))

    async def remove_item(self) -> None:
        name = f"items/{self.dice.choice(self.own_records('items'))['itemId']}"
        await self.change("DELETE", f"/{name}", None, lambda _: {name: None}, touched=(name,))

    async def acknowledge(self) -> None:
        """Acknowledge a notice of an own item; it is resolved when the item is no longer low."""
        answer = await self.read("/notifications?status=active&limit=100")
        mine = [it for it in answer["items"] if f"items/{it['itemId']}" in self.known]
        if mine:
            name = f"notifications/{self.dice.choice(mine)['notificationId']}"
            self.note(name, PartlyKnown(status="active"))
            await self.change(
                "POST",
                f"/{name}/acknowledge",
                None,
                lambda _: {name: PartlyKnown(status=OneOf("acknowledged", "resolved"))},
                touched=(name,),
                is_kept_at=True,
            )

    async def add_place(self) -> None:
        kind = self.dice.choice([*ID_OF])
        if len(self.own_records(kind)) < FEW:
            await self.add(f"/{kind}", {"name": self.new_word()}, kind, ID_OF[kind])

    async def edit_place(self) -> None:
        kind = self.dice.choice([*ID_OF])
        if (id_ := self._place(kind)) is not None:
            name = f"{kind}/{id_}"
            await self.edit(name, {"name": self.new_word(), "version": self.known[name]["version"]})

    async def remove_place(self) -> None:
        """Remove a place unless it is in use. It is closed for a moment, so the client repeats the
        request until it is deleted or open again."""
        kind = self.dice.choice([*ID_OF])
        if (id_ := self._place(kind)) is not None:
            name = f"{kind}/{id_}"
            await self.change(
                "DELETE",
                f"/{name}",
                None,
                lambda _: {name: None},
                touched=(name,),
                refusals=frozenset({"in_use"}),
                is_kept_at=True,
            )

    def _new_item(self) -> Shown:
        new: dict[str, Any] = {
            "name": self.new_word(),
            "quantity": self.dice.randrange(6),
            "threshold": self.dice.randrange(6),
        }
        return new | ({"barcodes": [self._barcode()]} if self.dice.random() < 0.3 else {})

    def _active(self) -> Shown | None:
        active = [item for item in self.own_records("items") if item["status"] == "active"]
        return self.dice.choice(active) if active else None

    def _place(self, kind: str) -> str | None:
        places = self.own_records(kind)
        return self.dice.choice(places)[ID_OF[kind]] if places else None

    def _barcode(self) -> str:
        code = f"{self.dice.randrange(10**12):012}"
        return next(f"{code}{digit}" for digit in range(10) if is_valid_barcode(f"{code}{digit}"))


class OneOf:
    """A value that equals any of several values."""

    __hash__ = None  # type: ignore[assignment]  # nothing looks it up

    def __init__(self, *values: str) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return other in self.values

    def __repr__(self) -> str:
        return " or ".join(self.values)


ITEMS, ENTRIES = 3, 12


class Shopper(Client):
    store = ""
    """A store without purchases, whose order only this client changes."""

    def possible_actions(self) -> Iterator[Way]:
        if len(self.own_records("items")) < ITEMS:
            yield from [self.add_item] * 4
        entries = self.own_records("shopping-list")
        if len(entries) < ENTRIES:
            yield from [self.add_entry] * 4
        yield self.set_order
        if entries:
            yield from [self.edit_entry, self.remove_entry]
            yield from [self.tick, self.put_away] * 3
            yield from [self.take_back] * 2
        if len(self.own_records("items")) == ITEMS:
            yield self.remove_item

    async def add_item(self) -> None:
        new = {"name": self.new_word(), "quantity": 2, "threshold": self.dice.randrange(4)}
        await self.add("/items", new, "items", "itemId")

    async def add_entry(self) -> None:
        items = self.own_records("items")
        body: Shown = {"name": self.new_word()}
        if items and self.dice.random() < 0.6:
            body = {"itemId": self.dice.choice(items)["itemId"], "force": True}
        if self.dice.random() < 0.5:
            body["shoppingItemId"] = str(uuid4())
        body["quantity"] = self.dice.randrange(1, 5)
        await self.add("/shopping-list", body, "shopping-list", "shoppingItemId")

    async def edit_entry(self) -> None:
        entry = self.dice.choice(self.own_records("shopping-list"))
        body = {"notes": self.new_word(), "version": entry["version"]}
        await self.edit(_name_of(entry), body)

    async def tick(self) -> None:
        entry = self.dice.choice(self.own_records("shopping-list"))
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
            items = self.own_records("items")
            ways += [{"itemId": self.dice.choice(items)["itemId"]}] if items else []
            body |= self.dice.choice(ways)
            linked = body.get("itemId")
        touched = (_name_of(entry), *([f"items/{linked}"] if linked else []))
        path = f"/{_name_of(entry)}/put-away"
        await self.change("POST", path, body, _facts_of_both, touched=touched, makes=("items",))

    async def take_back(self) -> None:
        entry = self._bought(put_away=True)
        if entry is not None:
            touched = [_name_of(entry)]
            item = self.known.get(f"items/{entry['itemId']}")
            touched += [f"items/{entry['itemId']}"] if item and item["quantity"] else []
            body = {"version": entry["version"]}
            path = f"/{touched[0]}/put-away"
            await self.change("DELETE", path, body, _facts_of_both, touched=tuple(touched))

    async def remove_entry(self) -> None:
        name = _name_of(self.dice.choice(self.own_records("shopping-list")))
        await self.change("DELETE", f"/{name}", None, lambda _: {name: None}, touched=(name,))

    async def remove_item(self) -> None:
        """Remove an item; its entries become free text, some of them later."""
        item = self.dice.choice(self.own_records("items"))
        name = f"items/{item['itemId']}"
        entries = [it for it in self.own_records("shopping-list") if it["itemId"] == item["itemId"]]
        left = {_name_of(it): PartlyKnown(name=it["name"], status=it["status"]) for it in entries}
        await self.change(
            "DELETE",
            f"/{name}",
            None,
            lambda _: {name: None, **left},
            touched=(name, *left),
            is_kept_at=True,
        )

    async def set_order(self) -> None:
        names = [self.new_word() for _ in range(self.dice.randrange(1, 8))]
        name = f"shopping-list/order?storeId={self.store}"
        await self.change(
            "PUT", f"/{name}", {"names": names}, lambda it: {name: it}, touched=(name,)
        )

    async def read_facts(self) -> Facts:
        name = f"shopping-list/order?storeId={self.store}"
        return {name: await self.read(f"/{name}")}

    def own_records(self, kind: str) -> list[Shown]:
        return [it for it in super().own_records(kind) if "names" not in it]

    def _bought(self, *, put_away: bool) -> Shown | None:
        found = [
            entry
            for entry in self.own_records("shopping-list")
            if entry["status"] == "purchased" and (entry["putAwayAt"] is not None) == put_away
            if entry["itemId"] is None or f"items/{entry['itemId']}" in self.known
        ]
        return self.dice.choice(found) if found else None


def _name_of(entry: Shown) -> str:
    return f"shopping-list/{entry['shoppingItemId']}"


def _facts_of_both(answer: Shown) -> Facts:
    entry, item = answer["shoppingItem"], answer["item"]
    facts: dict[str, Shown | None] = {_name_of(entry): entry}
    return facts | ({f"items/{item['itemId']}": item} if item else {})
