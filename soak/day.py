"""The actions of a family during a day; most happen in the morning and the evening."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from homeshelf import clock
from homeshelf.languages import LANGUAGES
from soak.person import BASELINE_PATH, LISTENING_SECONDS, Person

ACTIVITY_BY_HOUR = (1, 1, 1, 1, 1, 2, 6, 10, 8, 4, 4, 5, 7, 5, 4, 5, 7, 9, 10, 9, 7, 5, 3, 1)
"""The relative activity of each hour."""
MAX_ENTRIES, MAX_WISHES, MAX_NOTES, MAX_LISTS = 40, 20, 30, 5
"""The most records of each kind; the oldest is deleted when there are more."""
TITLES = ("Emma", "Persuasion", "Middlemarch", "Villette")


@dataclass
class Household:
    parents: Sequence[Person]
    child: Person
    stranger: Person
    """An anonymous visitor who has a link."""
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

    async def run_random_action(self) -> None:
        actions, weights = zip(*self._actions(), strict=True)
        await self.dice.choices(actions, weights)[0]()

    def _actions(self) -> list[tuple[Callable[[], Awaitable[None]], int]]:
        return [
            (self._open_random_page, 20),
            (self._measure_baseline, 12),
            (self._tap_tag, 16),
            (self._change_shopping_list, 14),
            (self._read_records, 10),
            (self._adjust_item, 10),
            (self._listen_to_events, 6),
            (self._tick_shared_list, 8),
            (self._read_book, 6),
            (self._reject_wish, 4),
            (self._search_items, 3),
            (self._create_shared_list, 2),
            (self._invite_and_revoke, 1),
            (self._replace_item, 1),
        ]

    async def _open_random_page(self) -> None:
        language = self.dice.choice(list(LANGUAGES))
        person = self.dice.choice([*self.parents, self.child])
        pages = ["/", "/list", "/stock", "/places", "/wishes", "/books", "/notices", "/family"]
        pages.append(f"/stock/{self.item}")
        if person is self.parents[0]:
            pages += [f"/books/{self.dice.choice(self.books)}", "/books/year"]
        await person.open(self.dice.choice(pages), language)

    async def _measure_baseline(self) -> None:
        await self.stranger.open(BASELINE_PATH, "en")

    async def _tap_tag(self) -> None:
        tag = self.dice.choice(self.tags)
        await self.stranger.open(f"/t/{tag}", self.dice.choice(list(LANGUAGES)))
        delta = self.dice.choice((-1, -1, 1, 2))
        await self.stranger.ask("POST", f"/taps/{tag}", {"delta": delta})

    async def _change_shopping_list(self) -> None:
        """Add an entry; if there are many, buy, put away and delete the oldest one."""
        body = {"name": f"Thing {self.dice.randrange(200)}", "force": True}
        if created := await self.parent.ask("POST", "/shopping-list", body):
            self.entries.append(created)
        if len(self.entries) <= MAX_ENTRIES:
            return
        entry = self.entries.popleft()
        path = f"/shopping-list/{entry['shoppingItemId']}"
        ticked = {"status": "purchased", "version": entry["version"]}
        bought = await self.parent.ask("PATCH", f"{path}/status", ticked)
        if bought and self.dice.random() < 0.5:
            request_body = {"itemId": self.item, "version": bought["version"]}
            await self.parent.ask("POST", f"{path}/put-away", request_body)
        await self.parent.ask("DELETE", path)

    async def _read_records(self) -> None:
        paths = ["/items", "/shopping-list", "/suggestions", "/family/counts", "/notifications"]
        paths += [f"/items/{self.item}/history", "/shopping-list/usual", "/members", "/me"]
        await self.parent.ask("GET", self.dice.choice(paths))

    async def _adjust_item(self) -> None:
        body = {"delta": self.dice.choice((-2, -1, 1, 2))}
        await self.parent.ask("POST", f"/items/{self.item}/adjust", body)

    async def _listen_to_events(self) -> None:
        person = self.dice.choice([*self.parents, self.child])
        await person.listen(self.dice.uniform(*LISTENING_SECONDS))

    async def _tick_shared_list(self) -> None:
        item = self.dice.choice(self.shared["items"])
        path = f"/shareables/{self.shared['shortId']}"
        body = {"checked": self.dice.random() < 0.5, "checkedBy": "Grandma"}
        await self.stranger.ask("PATCH", f"{path}/items/{item['checklistItemId']}", body)
        await self.stranger.open(f"/s/{self.shared['shortId']}", self.dice.choice(list(LANGUAGES)))

    async def _read_book(self) -> None:
        reader, book = self.parents[0], self.dice.choice(self.books)
        await reader.ask("POST", f"/books/{book}/page", {"page": self.dice.randint(1, 300)})
        path = f"/books/{self.books[0]}/notes"
        if note := await reader.ask("POST", path, {"content": "A thought. " * 20}):
            self.notes.append(note["id"])
        if len(self.notes) > MAX_NOTES:
            await reader.ask("DELETE", f"{path}/{self.notes.popleft()}")

    async def _reject_wish(self) -> None:
        name = f"Wish {clock.new_id()[:8]}"
        body: dict[str, Any] = {"type": "create_item", "proposedItemName": name}
        body |= {"proposedQuantity": 1, "proposedThreshold": 0}
        if created := await self.child.ask("POST", "/suggestions", body):
            answer = {"version": created["version"], "rejectionNotes": "Not today"}
            await self.parent.ask("POST", f"/suggestions/{created['suggestionId']}/reject", answer)

    async def _search_items(self) -> None:
        await self.parent.ask("GET", f"/items?q={self.dice.choice('aeiou')}")

    async def _create_shared_list(self) -> None:
        body = {"name": "A list", "items": [{"name": str(number)} for number in range(20)]}
        if created := await self.parent.ask("POST", "/shareables", body):
            self.lists.append(created["shortId"])
        if len(self.lists) > MAX_LISTS:
            await self.parent.ask("DELETE", f"/shareables/{self.lists.popleft()}")

    async def _invite_and_revoke(self) -> None:
        body = {"email": f"{clock.new_id()}@home.local", "role": "suggester"}
        if created := await self.parents[0].ask("POST", "/invitations", body):
            await asyncio.sleep(1)
            await self.parents[0].ask("DELETE", f"/invitations/{created['invitationId']}")

    async def _replace_item(self) -> None:
        """Create an item and delete another one."""
        if created := await self.parent.ask("POST", "/items", {"name": "Something", "quantity": 1}):
            self.items.append(created["itemId"])
            old = self.items.pop(self.dice.randrange(len(self.tags), len(self.items)))
            await self.parent.ask("DELETE", f"/items/{old}")
