"""The actions of a family in the course of a day, most in the morning and the evening."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from homeshelf import clock
from homeshelf.languages import LANGUAGES
from soak.person import CONSTANT, LISTENED_SECONDS, Person

BUSY = (1, 1, 1, 1, 1, 2, 6, 10, 8, 4, 4, 5, 7, 5, 4, 5, 7, 9, 10, 9, 7, 5, 3, 1)
"""The relative activity of each hour."""
ENTRIES, WISHES, NOTES, SHARED = 40, 20, 30, 5
"""The most records of each kind; past it the oldest is deleted."""
TITLES = ("Emma", "Persuasion", "Middlemarch", "Villette")


@dataclass
class Household:
    parents: Sequence[Person]
    child: Person
    stranger: Person
    """An anonymous person with a link."""
    items: list[str]
    tags: list[str]
    shared: dict[str, Any]
    books: list[str]
    dice: Random
    entries: deque[dict[str, Any]] = field(default_factory=deque)
    wishes: deque[str] = field(default_factory=deque)
    notes: deque[str] = field(default_factory=deque)
    lists: deque[str] = field(default_factory=deque)

    @property
    def parent(self) -> Person:
        return self.dice.choice(self.parents)

    @property
    def item(self) -> str:
        return self.dice.choice(self.items)

    async def do_something(self) -> None:
        actions, weights = zip(*self._actions(), strict=True)
        await self.dice.choices(actions, weights)[0]()

    def _actions(self) -> list[tuple[Callable[[], Awaitable[None]], int]]:
        return [
            (self._open_pages, 20),
            (self._ask_constant, 12),
            (self._tap, 16),
            (self._shop, 14),
            (self._look, 10),
            (self._adjust, 10),
            (self._listen, 6),
            (self._help_packing, 8),
            (self._read, 6),
            (self._wish, 4),
            (self._search, 3),
            (self._share, 2),
            (self._invite, 1),
            (self._tidy_up, 1),
        ]

    async def _open_pages(self) -> None:
        language = self.dice.choice(list(LANGUAGES))
        who = self.dice.choice([*self.parents, self.child])
        pages = ["/", "/list", "/stock", "/places", "/wishes", "/books", "/notices", "/family"]
        pages.append(f"/stock/{self.item}")
        if who is self.parents[0]:
            pages += [f"/books/{self.dice.choice(self.books)}", "/books/year"]
        await who.open(self.dice.choice(pages), language)

    async def _ask_constant(self) -> None:
        await self.stranger.open(CONSTANT, "en")

    async def _tap(self) -> None:
        tag = self.dice.choice(self.tags)
        await self.stranger.open(f"/t/{tag}", self.dice.choice(list(LANGUAGES)))
        delta = self.dice.choice((-1, -1, 1, 2))
        await self.stranger.ask("POST", f"/taps/{tag}", {"delta": delta})

    async def _shop(self) -> None:
        """Something goes on the list, and something else is bought and put away."""
        body = {"name": f"Thing {self.dice.randrange(200)}", "force": True}
        if made := await self.parent.ask("POST", "/shopping-list", body):
            self.entries.append(made)
        if len(self.entries) <= ENTRIES:
            return
        entry = self.entries.popleft()
        path = f"/shopping-list/{entry['shoppingItemId']}"
        ticked = {"status": "purchased", "version": entry["version"]}
        bought = await self.parent.ask("PATCH", f"{path}/status", ticked)
        if bought and self.dice.random() < 0.5:
            put = {"itemId": self.item, "version": bought["version"]}
            await self.parent.ask("POST", f"{path}/put-away", put)
        await self.parent.ask("DELETE", path)

    async def _look(self) -> None:
        paths = ["/items", "/shopping-list", "/suggestions", "/family/counts", "/notifications"]
        paths += [f"/items/{self.item}/history", "/shopping-list/usual", "/members", "/me"]
        await self.parent.ask("GET", self.dice.choice(paths))

    async def _adjust(self) -> None:
        body = {"delta": self.dice.choice((-2, -1, 1, 2))}
        await self.parent.ask("POST", f"/items/{self.item}/adjust", body)

    async def _listen(self) -> None:
        who = self.dice.choice([*self.parents, self.child])
        await who.listen(self.dice.uniform(*LISTENED_SECONDS))

    async def _help_packing(self) -> None:
        item = self.dice.choice(self.shared["items"])
        path = f"/shareables/{self.shared['shortId']}"
        body = {"checked": self.dice.random() < 0.5, "checkedBy": "Grandma"}
        await self.stranger.ask("PATCH", f"{path}/items/{item['checklistItemId']}", body)
        await self.stranger.open(f"/s/{self.shared['shortId']}", self.dice.choice(list(LANGUAGES)))

    async def _read(self) -> None:
        reader, book = self.parents[0], self.dice.choice(self.books)
        await reader.ask("POST", f"/books/{book}/page", {"page": self.dice.randint(1, 300)})
        path = f"/books/{self.books[0]}/notes"
        if note := await reader.ask("POST", path, {"content": "A thought. " * 20}):
            self.notes.append(note["id"])
        if len(self.notes) > NOTES:
            await reader.ask("DELETE", f"{path}/{self.notes.popleft()}")

    async def _wish(self) -> None:
        name = f"Wish {clock.new_id()[:8]}"
        body: dict[str, Any] = {"type": "create_item", "proposedItemName": name}
        body |= {"proposedQuantity": 1, "proposedThreshold": 0}
        if made := await self.child.ask("POST", "/suggestions", body):
            answer = {"version": made["version"], "rejectionNotes": "Not today"}
            await self.parent.ask("POST", f"/suggestions/{made['suggestionId']}/reject", answer)

    async def _search(self) -> None:
        await self.parent.ask("GET", f"/items?q={self.dice.choice('aeiou')}")

    async def _share(self) -> None:
        body = {"name": "A list", "items": [{"name": str(number)} for number in range(20)]}
        if made := await self.parent.ask("POST", "/shareables", body):
            self.lists.append(made["shortId"])
        if len(self.lists) > SHARED:
            await self.parent.ask("DELETE", f"/shareables/{self.lists.popleft()}")

    async def _invite(self) -> None:
        """Mail an invitation and revoke it."""
        body = {"email": f"{clock.new_id()}@home.local", "role": "suggester"}
        if made := await self.parents[0].ask("POST", "/invitations", body):
            await asyncio.sleep(1)
            await self.parents[0].ask("DELETE", f"/invitations/{made['invitationId']}")

    async def _tidy_up(self) -> None:
        """Something new comes into the house and something old goes out of it."""
        if made := await self.parent.ask("POST", "/items", {"name": "Something", "quantity": 1}):
            self.items.append(made["itemId"])
            old = self.items.pop(self.dice.randrange(len(self.tags), len(self.items)))
            await self.parent.ask("DELETE", f"/items/{old}")
