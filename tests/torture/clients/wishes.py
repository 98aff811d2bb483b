"""Two of the family: one asks for things, the other one decides."""

from collections.abc import Iterator
from random import Random

from tests.torture.clients.client import Client, Way
from tests.torture.people import Somebody
from tests.torture.recorder import Asked, Facts, Shown

PENDING, ALL = 4, 150


class Decider(Client):
    def __init__(self, person: Somebody, kid: Somebody, dice: Random) -> None:
        super().__init__(person, dice)
        self.kid = kid

    def ways(self) -> Iterator[Way]:
        pending, every = self._pending(), self.own("suggestions")
        if not self.own("items"):
            yield self.add_item
        if len(pending) < PENDING and len(every) < ALL:
            yield from [self.ask_for_something] * 2
        if pending:
            yield from (self.approve, self.approve, self.reject)
        if len(self.own("items")) > 1 or self.own("shopping-list"):
            yield self.clear_up
        yield self.choose_preferences

    async def add_item(self) -> None:
        await self.add("/items", {"name": self.word(), "threshold": 1}, "items", "itemId")

    async def ask_for_something(self) -> None:
        items = self.own("items")
        wish: Shown = {"type": "create_item", "proposedItemName": self.word()}
        wish |= {"proposedQuantity": self.dice.randrange(3), "proposedThreshold": 2}
        if items and self.dice.random() < 0.5:
            first = items[0]["itemId"]
            wish = {"type": "add_to_shopping", "itemId": first, "notes": self.word()}
        await self.ask(
            Asked(self.kid, "POST", "/suggestions", wish, _asked, makes=("suggestions",))
        )

    async def approve(self) -> None:
        wish = self.dice.choice(self._pending())
        name = f"suggestions/{wish['suggestionId']}"
        await self.change(
            "POST",
            f"/{name}/approve",
            {"version": wish["version"]},
            _approved,
            touched=(name,),
            makes=("items", "shopping-list"),
        )

    async def reject(self) -> None:
        wish = self.dice.choice(self._pending())
        name = f"suggestions/{wish['suggestionId']}"
        body = {"version": wish["version"], "rejectionNotes": self.word()}
        await self.change("POST", f"/{name}/reject", body, _asked, touched=(name,))

    async def clear_up(self) -> None:
        """What a yes has made, but not the item that is asked for again and again."""
        made = [f"items/{it['itemId']}" for it in self.own("items")[1:]]
        made += [f"shopping-list/{it['shoppingItemId']}" for it in self.own("shopping-list")]
        name = self.dice.choice(made)
        await self.change("DELETE", f"/{name}", None, lambda _: {name: None}, touched=(name,))

    async def choose_preferences(self) -> None:
        body = {
            "theme": self.dice.choice(["auto", "light", "dark"]),
            "mail": self.dice.choice(["off", "now", "daily"]),
        }
        await self.change("PATCH", "/me/preferences", body, self._chosen, touched=(self._mine,))

    async def look(self) -> Facts:
        return self._chosen(await self.read("/me/preferences"))

    def people(self) -> Iterator[Somebody]:
        yield from (self.person, self.kid)

    @property
    def _mine(self) -> str:
        return f"me/preferences of {self.person.member_id}"

    def _chosen(self, preferences: Shown) -> Facts:
        return {self._mine: preferences}

    def _pending(self) -> list[Shown]:
        return [wish for wish in self.own("suggestions") if wish["status"] == "pending"]


def _asked(wish: Shown) -> Facts:
    return {f"suggestions/{wish['suggestionId']}": wish}


def _approved(answer: Shown) -> Facts:
    made = answer["created"]
    kinds = {"items": "itemId", "shopping-list": "shoppingItemId"}
    kind = "shopping-list" if "shoppingItemId" in made else "items"
    return {**_asked(answer["suggestion"]), f"{kind}/{made[kinds[kind]]}": made}
