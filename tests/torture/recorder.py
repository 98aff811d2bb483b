"""What somebody was told is so, and what they do not know because nobody answered.

    await recorder.ask(asked)       whatever is acknowledged is known from then on

A record is known by its name, which is its path in the API (`items/0b0d...`).
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

import httpx

from tests.torture.people import Somebody, result

Shown = dict[str, Any]
Facts = Mapping[str, Shown | None]
"""Records as they are by their names; None for one that is gone."""

COMPUTED = frozenset(
    {
        *("isLowStock", "suggesterStatus", "itemStatus", "alreadyOnList"),
        *("link", "linkExpiresAt", "url", "token", "access"),
        *("lastAccessedAt", "accessCount"),
    }
)
"""What is no part of a record, or is counted behind the answers."""


class Partly(dict[str, Any]):
    """What is known of a record that changes by itself too, or by an answer that does not show
    it."""


class Killed(Exception):
    """Nobody answered."""


@dataclass(frozen=True)
class Asked:
    """A change that somebody asks for."""

    who: Somebody
    method: str
    path: str
    body: Any
    facts: Callable[[Any], Facts]
    """What is so once it is answered."""
    touched: tuple[str, ...] = ()
    """The records that it may change, which were there before; others it may make."""
    makes: tuple[str, ...] = ()
    """The kinds of those."""
    counts: tuple[str, int] | None = None
    """The item of whose quantity many change something, and by how much."""
    refusals: frozenset[str] = frozenset()
    """By which codes it may be refused; nothing has happened then."""
    is_kept_at: bool = False
    """Whether it is asked for until it is answered: what goes on by itself would not stay as it
    was found otherwise."""
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str = field(default_factory=lambda: str(uuid4()))

    @property
    def has_key(self) -> bool:
        """Whether to ask once more does nothing twice and is answered the same."""
        return self.method in ("POST", "PATCH")

    async def send(self) -> httpx.Response:
        key = self.key if self.has_key else None
        return await self.who.ask(
            self.method, self.path, self.body, key=key, headers=dict(self.headers)
        )


class Recorder:
    def __init__(self) -> None:
        self.known: dict[str, Shown] = {}
        self.counts: dict[str, int] = {}
        """The quantities that many change, shared by all recorders."""
        self.doubt: Asked | None = None
        self.acknowledged = 0

    async def ask(self, asked: Asked) -> Any:
        """The answer, or None where it was refused."""
        try:
            answer = await asked.send()
        except httpx.TransportError as error:
            self.doubt = asked
            raise Killed from error
        return self.learn(asked, answer)

    def learn(self, asked: Asked, answer: httpx.Response) -> Any:
        if answer.status_code in (409, 422) and answer.json()["code"] in asked.refusals:
            return None
        body = result(answer)
        self.is_so(asked, body)
        return body

    def is_so(self, asked: Asked, body: Any) -> None:
        self.acknowledged += 1
        for name, fact in asked.facts(body).items():
            self.note(name, fact)
        if asked.counts:
            self.counts[asked.counts[0]] += body["applied"]

    def note(self, name: str, fact: Shown | None) -> None:
        if fact is None:
            self.known.pop(name, None)
        else:
            self.known[name] = lasting(fact)

    def own(self, kind: str) -> list[Shown]:
        """Those of a kind that nobody and nothing else changes."""
        return [fact for _, fact in self.named(kind) if not isinstance(fact, Partly)]

    def named(self, kind: str) -> Iterator[tuple[str, Shown]]:
        return ((name, it) for name, it in self.known.items() if name.startswith(f"{kind}/"))


def lasting(fact: Shown) -> Shown:
    """A record without what is worked out for who reads it."""
    return type(fact)((name, value) for name, value in fact.items() if name not in COMPUTED)


def differs(fact: Shown, seen: Shown | None) -> str | None:
    """What of it is not so, in words."""
    if seen is None:
        return "is gone"
    wrong = {
        name: (value, seen.get(name)) for name, value in fact.items() if seen.get(name) != value
    }
    if not isinstance(fact, Partly):
        wrong |= {name: (None, value) for name, value in seen.items() if name not in fact}
    return f"has other values, acknowledged and found: {wrong}" if wrong else None


Way = Callable[[], Awaitable[Any]]


class Client(Recorder):
    def __init__(self, person: Somebody, dice: Random) -> None:
        super().__init__()
        self.person, self.dice = person, dice
        self.is_over = False
        self._words = 0

    def ways(self) -> Iterator[Way]:
        """What they could do now."""
        raise NotImplementedError

    async def work(self) -> None:
        """Until nobody answers, or it is over."""
        while not self.is_over:
            await self.dice.choice([*self.ways()])()

    async def look(self) -> Facts:
        """What only they can see."""
        return {}

    def people(self) -> Iterator[Somebody]:
        """All who are signed in for them."""
        yield self.person

    def devices(self) -> Iterator[Somebody]:
        """Those, and others who ask for them."""
        yield from self.people()

    async def move_to(self, url: str) -> None:
        for each in [*self.devices()]:
            await each.move_to(url)

    async def leave(self) -> None:
        for each in [*self.devices()]:
            await each.leave()

    async def sign_in(self) -> None:
        for each in [*self.people()]:
            await each.sign_in()

    async def change(
        self, method: str, path: str, body: Any, facts: Callable[[Any], Facts], **more: Any
    ) -> Any:
        return await self.ask(Asked(self.person, method, path, body, facts, **more))

    async def add(self, path: str, body: Shown, kind: str, id_: str) -> Any:
        """Make a record, which is answered as it is."""
        return await self.change(
            "POST", path, body, lambda made: {f"{kind}/{made[id_]}": made}, makes=(kind,)
        )

    async def edit(self, name: str, body: Shown, path: str | None = None, **more: Any) -> Any:
        """Change a record, which is answered as it became."""
        return await self.change(
            "PATCH", path or f"/{name}", body, lambda made: {name: made}, touched=(name,), **more
        )

    async def read(self, path: str) -> Any:
        try:
            return result(await self.person.get(path))
        except httpx.TransportError as error:
            raise Killed from error

    async def pages(self, path: str, envelope: str = "items") -> list[Shown]:
        """All that a list holds."""
        found: list[Shown] = []
        joint = "&" if "?" in path else "?"
        token = ""
        while True:
            page = await self.read(f"{path}{joint}limit=100{token}")
            found += page[envelope]
            if "nextToken" not in page:
                return found
            token = f"&nextToken={page['nextToken']}"

    def word(self) -> str:
        """Another one each time."""
        self._words += 1
        return f"{self._words}-{self.dice.getrandbits(40):x}"
