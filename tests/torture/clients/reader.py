"""Who reads: books, pages and notes, and files of books that others had elsewhere."""

from collections.abc import Iterator
from random import Random

import httpx

from tests.torture.clients.client import Client, Way
from tests.torture.people import Somebody, result, sign_up
from tests.torture.recorder import Facts, Killed, Shown

BOOKS, NOTES = 6, 12
IMPORTED = 60
FILE = "Title,Author,Exclusive Shelf,My Review\n" + "".join(
    f"Book {number},Ida Falk,read,Review {number}\n" for number in range(IMPORTED)
)
LOOKED_AT = 3


class Reader(Client):
    def ways(self) -> Iterator[Way]:
        books, notes = self.own("books"), self.own("book-notes")
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
        body = {"title": self.word(), "totalPages": 500, "rating": 4.5}
        await self.add("/books", body, "books", "id")

    async def edit_book(self) -> None:
        book = self.dice.choice(self.own("books"))
        status = self.dice.choice(["SHELF", "READING", "READ"])
        changes: list[Shown] = [{"title": self.word()}, {"status": status}]
        name = f"books/{book['id']}"
        await self.edit(name, self.dice.choice(changes))

    async def reach_page(self) -> None:
        book = self.dice.choice(self.own("books"))
        name, page = f"books/{book['id']}", self.dice.randrange(500)

        def facts(event: Shown) -> Facts:
            at = {"currentPage": page, "updatedAt": event["occurredAt"]}
            return {name: book | at, f"book-events/{book['id']}/{event['id']}": event}

        path = f"/{name}/page"
        await self.change(
            "POST", path, {"page": page}, facts, touched=(name,), makes=("book-events",)
        )

    async def remove_book(self) -> None:
        book = self.dice.choice(self.own("books"))
        name = f"books/{book['id']}"
        kinds = ("book-notes", "book-events")
        rest = [each for kind in kinds for each, _ in self.named(f"{kind}/{book['id']}")]
        gone = dict.fromkeys([name, *rest])
        await self.change("DELETE", f"/{name}", None, lambda _: gone, touched=tuple(gone))

    async def add_note(self) -> None:
        book = self.dice.choice(self.own("books"))["id"]
        await self.add(f"/books/{book}/notes", {"content": self.word()}, f"book-notes/{book}", "id")

    async def edit_note(self) -> None:
        note = self.dice.choice(self.own("book-notes"))
        await self.edit(_name_of(note), {"content": self.word()}, _path_of(note))

    async def remove_note(self) -> None:
        note = self.dice.choice(self.own("book-notes"))
        name = _name_of(note)
        await self.change("DELETE", _path_of(note), None, lambda _: {name: None}, touched=(name,))

    async def set_goal(self) -> None:
        body = {"yearlyGoal": self.dice.randrange(1, 9999)}
        await self.change("PATCH", "/books/settings", body, _goal, touched=("goal/",))

    async def look(self) -> Facts:
        books = (await self.read("/books?limit=100"))["items"]
        found: dict[str, Shown | None] = {f"books/{book['id']}": book for book in books}
        for name in [*found]:
            notes = (await self.read(f"/{name}/notes?limit=100"))["items"]
            found |= {_name_of(note): note for note in notes}
            events = await self.pages(f"/{name}/events")
            found |= {f"book-events/{it['bookId']}/{it['id']}": it for it in events}
        goal = await self.read("/books/settings")
        return {**found, **(_goal(goal) if goal["yearlyGoal"] else {})}


class Importer(Client):
    """Each file goes onto the shelf of a reader who is new: an import that was cut off keeps
    others of the same reader waiting for a while, and is completed by the same file."""

    def __init__(self, person: Somebody, dice: Random) -> None:
        super().__init__(person, dice)
        self.cut_off: list[Somebody] = []
        self._done: list[Somebody] = []

    async def work(self) -> None:
        """Not always: a file brings more than all others do meanwhile."""
        if self.dice.random() < 0.7:
            return
        reader: Somebody | None = None
        try:
            reader = await sign_up(str(self.person.client.base_url), "Reader")
            await put_file_onto_shelf(reader)
        except httpx.TransportError as error:
            if reader is not None:
                await _keep_last(self.cut_off, reader)
            raise Killed from error
        self.acknowledged += 1
        await _keep_last(self._done, reader)

    async def look(self) -> Facts:
        """What was said to be done is there, down to the reviews."""
        for reader in self._done:
            await require_whole_shelf(reader)
        return {}

    def people(self) -> Iterator[Somebody]:
        yield from (self.person, *self._done, *self.cut_off)


async def _keep_last(readers: list[Somebody], new: Somebody) -> None:
    readers.append(new)
    for each in readers[:-LOOKED_AT]:
        await each.leave()
    readers[:] = readers[-LOOKED_AT:]


async def put_file_onto_shelf(reader: Somebody) -> None:
    headers = {"Content-Type": "text/csv"}
    begun = result(await reader.post("/books/import", content=FILE, headers=headers))
    while True:
        said = result(await reader.get(f"/books/imports/{begun['importId']}"))
        if said["done"] == said["total"]:
            break
    assert said["added"] + said["skipped"] == IMPORTED, said
    assert said["problems"] == [], said


async def require_whole_shelf(reader: Somebody) -> None:
    books = result(await reader.get("/books?limit=100"))["items"]
    assert len(books) == IMPORTED, "a file is there by half"
    for book in books[::20]:
        assert len(result(await reader.get(f"/books/{book['id']}/notes"))["items"]) == 1


def _goal(settings: Shown) -> Facts:
    return {"goal/": settings}


def _name_of(note: Shown) -> str:
    return f"book-notes/{note['bookId']}/{note['id']}"


def _path_of(note: Shown) -> str:
    return f"/books/{note['bookId']}/notes/{note['id']}"
