"""Clients that read: books, pages, notes and imports of books from other services."""

from collections.abc import Iterator
from random import Random

import httpx

from tests.torture.people import SimulatedPerson, json_of_success, sign_up
from tests.torture.recorder import (
    Client,
    Facts,
    PartlyKnown,
    RequestedChange,
    ServerKilled,
    Shown,
    Way,
)

BOOKS, NOTES = 6, 12
IMPORTED = 60
FILE = "Title,Author,Exclusive Shelf,My Review\n" + "".join(
    f"Book {number},Ida Falk,read,Review {number}\n" for number in range(IMPORTED)
)
LOOKED_AT = 3


class Reader(Client):
    def possible_actions(self) -> Iterator[Way]:
        books, notes = self.own_records("books"), self.own_records("book-notes")
        if len(books) < BOOKS:
            yield from [self.add_book] * 3
        yield self.set_goal
        if books:
            yield from [self.reach_page, self.edit_book] * 2
            yield from [self.add_note] * (len(notes) < NOTES)
        if len(books) > 2:
            yield self.remove_book
        if notes:
            yield from (self.edit_note, self.remove_note)

    async def add_book(self) -> None:
        body = {"title": self.new_word(), "totalPages": 500, "rating": 4.5}
        await self.add("/books", body, "books", "id")

    async def edit_book(self) -> None:
        book = self.dice.choice(self.own_records("books"))
        status = self.dice.choice(["SHELF", "READING", "READ"])
        changes: list[Shown] = [{"title": self.new_word()}, {"status": status}]
        name = f"books/{book['id']}"
        await self.edit(name, self.dice.choice(changes))

    async def reach_page(self) -> None:
        book = self.dice.choice(self.own_records("books"))
        name, page = f"books/{book['id']}", self.dice.randrange(500)

        def facts_of_page(event: Shown) -> Facts:
            at = {"currentPage": page, "updatedAt": event["occurredAt"]}
            return {name: book | at, f"book-events/{book['id']}/{event['id']}": event}

        path = f"/{name}/page"
        await self.change(
            "POST", path, {"page": page}, facts_of_page, touched=(name,), makes=("book-events",)
        )

    async def remove_book(self) -> None:
        book = self.dice.choice(self.own_records("books"))
        name = f"books/{book['id']}"
        kinds = ("book-notes", "book-events")
        rest = [each for kind in kinds for each, _ in self.named_records(f"{kind}/{book['id']}")]
        gone = dict.fromkeys([name, *rest])
        await self.change("DELETE", f"/{name}", None, lambda _: gone, touched=tuple(gone))

    async def add_note(self) -> None:
        book = self.dice.choice(self.own_records("books"))["id"]
        await self.add(
            f"/books/{book}/notes", {"content": self.new_word()}, f"book-notes/{book}", "id"
        )

    async def edit_note(self) -> None:
        note = self.dice.choice(self.own_records("book-notes"))
        await self.edit(_name_of(note), {"content": self.new_word()}, _path_of(note))

    async def remove_note(self) -> None:
        note = self.dice.choice(self.own_records("book-notes"))
        name = _name_of(note)
        await self.change("DELETE", _path_of(note), None, lambda _: {name: None}, touched=(name,))

    async def set_goal(self) -> None:
        body = {"yearlyGoal": self.dice.randrange(1, 9999)}
        await self.change("PATCH", "/books/settings", body, _goal_facts, touched=("goal/",))

    async def read_facts(self) -> Facts:
        books = (await self.read("/books?limit=100"))["items"]
        found: dict[str, Shown | None] = {f"books/{book['id']}": book for book in books}
        for name in [*found]:
            notes = (await self.read(f"/{name}/notes?limit=100"))["items"]
            found |= {_name_of(note): note for note in notes}
            events = await self.pages(f"/{name}/events")
            found |= {f"book-events/{it['bookId']}/{it['id']}": it for it in events}
        goal = await self.read("/books/settings")
        return {**found, **(_goal_facts(goal) if goal["yearlyGoal"] else {})}


class Importer(Client):
    """A client that imports each file for a new reader, because an interrupted import blocks other
    imports of its reader for a while and is completed by the same file."""

    def __init__(self, person: SimulatedPerson, dice: Random) -> None:
        super().__init__(person, dice)
        self.cut_off: list[SimulatedPerson] = []
        self._done: list[SimulatedPerson] = []

    async def work(self) -> None:
        """Import only sometimes, because a file makes more records than all other clients do."""
        if self.dice.random() < 0.7:
            return
        reader: SimulatedPerson | None = None
        try:
            reader = await sign_up(str(self.person.client.base_url), "Reader")
            await put_file_onto_shelf(reader)
        except httpx.TransportError as error:
            if reader is not None:
                await _keep_last(self.cut_off, reader)
            raise ServerKilled from error
        self.acknowledged += 1
        await _keep_last(self._done, reader)

    async def read_facts(self) -> Facts:
        """Return the records of the completed imports, with their reviews."""
        for reader in self._done:
            await require_whole_shelf(reader)
        return {}

    def people(self) -> Iterator[SimulatedPerson]:
        yield from (self.person, *self._done, *self.cut_off)


async def _keep_last(readers: list[SimulatedPerson], new: SimulatedPerson) -> None:
    readers.append(new)
    for each in readers[:-LOOKED_AT]:
        await each.leave()
    readers[:] = readers[-LOOKED_AT:]


async def put_file_onto_shelf(reader: SimulatedPerson) -> None:
    headers = {"Content-Type": "text/csv"}
    begun = json_of_success(await reader.post("/books/import", content=FILE, headers=headers))
    while True:
        said = json_of_success(await reader.get(f"/books/imports/{begun['importId']}"))
        if said["done"] == said["total"]:
            break
    assert said["added"] + said["skipped"] == IMPORTED, said
    assert said["problems"] == [], said


async def require_whole_shelf(reader: SimulatedPerson) -> None:
    books = json_of_success(await reader.get("/books?limit=100"))["items"]
    assert len(books) == IMPORTED, "a file is there by half"
    for book in books[::20]:
        assert len(json_of_success(await reader.get(f"/books/{book['id']}/notes"))["items"]) == 1


def _goal_facts(settings: Shown) -> Facts:
    return {"goal/": settings}


def _name_of(note: Shown) -> str:
    return f"book-notes/{note['bookId']}/{note['id']}"


def _path_of(note: Shown) -> str:
    return f"/books/{note['bookId']}/notes/{note['id']}"


PENDING, ALL = 4, 150


class Decider(Client):
    def __init__(self, person: SimulatedPerson, kid: SimulatedPerson, dice: Random) -> None:
        super().__init__(person, dice)
        self.kid = kid

    def possible_actions(self) -> Iterator[Way]:
        pending, every = self._pending(), self.own_records("suggestions")
        if not self.own_records("items"):
            yield self.add_item
        if len(pending) < PENDING and len(every) < ALL:
            yield from [self.ask_for_something] * 2
        if pending:
            yield from (self.approve, self.approve, self.reject)
        if len(self.own_records("items")) > 1 or self.own_records("shopping-list"):
            yield self.clear_up
        yield self.choose_preferences

    async def add_item(self) -> None:
        await self.add("/items", {"name": self.new_word(), "threshold": 1}, "items", "itemId")

    async def ask_for_something(self) -> None:
        items = self.own_records("items")
        wish: Shown = {"type": "create_item", "proposedItemName": self.new_word()}
        wish |= {"proposedQuantity": self.dice.randrange(3), "proposedThreshold": 2}
        if items and self.dice.random() < 0.5:
            first = items[0]["itemId"]
            wish = {"type": "add_to_shopping", "itemId": first, "notes": self.new_word()}
        await self.ask(
            RequestedChange(
                self.kid, "POST", "/suggestions", wish, _wish_facts, makes=("suggestions",)
            )
        )

    async def approve(self) -> None:
        wish = self.dice.choice(self._pending())
        name = f"suggestions/{wish['suggestionId']}"
        await self.change(
            "POST",
            f"/{name}/approve",
            {"version": wish["version"]},
            _approval_facts,
            touched=(name,),
            makes=("items", "shopping-list"),
        )

    async def reject(self) -> None:
        wish = self.dice.choice(self._pending())
        name = f"suggestions/{wish['suggestionId']}"
        body = {"version": wish["version"], "rejectionNotes": self.new_word()}
        await self.change("POST", f"/{name}/reject", body, _wish_facts, touched=(name,))

    async def clear_up(self) -> None:
        """Delete the records that an approval made, but not the item of the next requests."""
        made = [f"items/{it['itemId']}" for it in self.own_records("items")[1:]]
        made += [
            f"shopping-list/{it['shoppingItemId']}" for it in self.own_records("shopping-list")
        ]
        name = self.dice.choice(made)
        await self.change("DELETE", f"/{name}", None, lambda _: {name: None}, touched=(name,))

    async def choose_preferences(self) -> None:
        body = {
            "theme": self.dice.choice(["auto", "light", "dark"]),
            "mail": self.dice.choice(["off", "now", "daily"]),
        }
        await self.change("PATCH", "/me/preferences", body, self._chosen, touched=(self._mine,))

    async def read_facts(self) -> Facts:
        return self._chosen(await self.read("/me/preferences"))

    def people(self) -> Iterator[SimulatedPerson]:
        yield from (self.person, self.kid)

    @property
    def _mine(self) -> str:
        return f"me/preferences of {self.person.member_id}"

    def _chosen(self, preferences: Shown) -> Facts:
        return {self._mine: preferences}

    def _pending(self) -> list[Shown]:
        return [wish for wish in self.own_records("suggestions") if wish["status"] == "pending"]


def _wish_facts(wish: Shown) -> Facts:
    return {f"suggestions/{wish['suggestionId']}": wish}


def _approval_facts(answer: Shown) -> Facts:
    made = answer["created"]
    kinds = {"items": "itemId", "shopping-list": "shoppingItemId"}
    kind = "shopping-list" if "shoppingItemId" in made else "items"
    return {**_wish_facts(answer["suggestion"]), f"{kind}/{made[kinds[kind]]}": made}


ITEMS, TAGS = 2, 150
MAX_TAGS = 20
"""The most tags of an item; more would be renamed in the background."""


class Tapper(Client):
    hot = ""
    """The item that all clients change."""

    def possible_actions(self) -> Iterator[Way]:
        tags = self._active()
        items = self._items()
        if items and max(len(self._tags_of(name)) for name in items) > MAX_TAGS:
            yield self.remove_item
            return
        if len(items) < ITEMS:
            yield from [self.add_item] * 3
        elif len([*self.named_records("nfc-urls")]) < TAGS:
            yield from (self.make_tag, self.make_hot_tag, self.rotate)
        if tags:
            yield from [self.tap] * 4
            yield self.relabel
        if items:
            yield self.rename_item
        if len(tags) > 3:
            yield self.revoke

    async def add_item(self) -> None:
        new = {"name": self.new_word(), "quantity": 50, "threshold": 50}
        await self.add("/items", new, "items", "itemId")

    async def make_tag(self) -> None:
        await self._make(self.dice.choice(self._items()))

    async def make_hot_tag(self) -> None:
        await self._make(self.hot)

    async def tap(self) -> None:
        tag = self.dice.choice(self._active())
        delta, name = self.dice.choice([-2, -1, 1, 3]), f"items/{tag['itemId']}"
        body = {"delta": delta, "undo": self.dice.random() < 0.2}
        path = f"/taps/{tag['urlId']}"
        if name == self.hot:
            await self.change("POST", path, body, lambda _: {}, counts=(name, delta))
        else:
            await self.change(
                "POST",
                path,
                body,
                lambda it: {name: PartlyKnown(name=it["itemName"], quantity=it["quantity"])},
                touched=(name,),
            )

    async def relabel(self) -> None:
        await self.edit(self._name(self.dice.choice(self._active())), {"label": self.new_word()})

    async def rotate(self) -> None:
        if tags := self._active():
            name = self._name(self.dice.choice(tags))
            await self.change(
                "POST", f"/{name}/rotate", None, self._rotated, touched=(name,), makes=("nfc-urls",)
            )

    async def revoke(self) -> None:
        name = self._name(self.dice.choice(self._active()))
        facts = {name: PartlyKnown(isActive=False, itemId=self.known[name]["itemId"])}
        await self.change("DELETE", f"/{name}", None, lambda _: facts, touched=(name,))

    async def remove_item(self) -> None:
        """Remove the item with most tags; its tags stop working, some of them later."""
        name = max(self._items(), key=lambda each: len(self._tags_of(each)))
        tags = {tag: PartlyKnown() for tag in self._tags_of(name)}
        await self.change(
            "DELETE",
            f"/{name}",
            None,
            lambda _: {name: None, **tags},
            touched=(name, *tags),
            is_kept_at=True,
        )

    async def rename_item(self) -> None:
        """Rename an item, and its tags with it."""
        name = self.dice.choice(self._items())
        called, version = self.new_word(), (await self.read(f"/{name}"))["version"]
        tags = {
            tag: fact if isinstance(fact, PartlyKnown) else fact | {"itemName": called}
            for tag, fact in self._tags_of(name).items()
        }
        await self.change(
            "PATCH",
            f"/{name}",
            {"name": called, "version": version},
            lambda item: {name: item, **tags},
            touched=(name, *tags),
        )

    async def _make(self, item: str) -> None:
        path, body = f"/{item}/nfc-urls", {"label": self.new_word()}
        await self.add(path, body, "nfc-urls", "urlId")

    def _rotated(self, answer: Shown) -> Facts:
        return {self._name(tag): tag for tag in (answer["oldUrl"], answer["newUrl"])}

    def _items(self) -> list[str]:
        return [name for name, _ in self.named_records("items")]

    def _tags_of(self, item: str) -> dict[str, Shown]:
        every = self.named_records("nfc-urls")
        return {tag: fact for tag, fact in every if f"items/{fact.get('itemId')}" == item}

    def _active(self) -> list[Shown]:
        return [tag for tag in self.own_records("nfc-urls") if tag["isActive"]]

    @staticmethod
    def _name(tag: Shown) -> str:
        return f"nfc-urls/{tag['urlId']}"
