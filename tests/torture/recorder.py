"""Records the acknowledged facts of each client, and the requests without a response.

    await recorder.ask(asked)       an acknowledged change is known from then on

The name of a record is its path in the API (`items/0b0d...`).
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

import httpx

from tests.torture.people import SimulatedPerson, json_of_success

Shown = dict[str, Any]
Facts = Mapping[str, Shown | None]
"""Records by their names; None for a deleted one."""

COMPUTED = frozenset(
    {
        *("isLowStock", "suggesterStatus", "itemStatus", "alreadyOnList"),
        *("link", "linkExpiresAt", "url", "token", "access"),
        *("lastAccessedAt", "accessCount"),
    }
)
"""Fields that are not stored in the record, or that change after the response."""


class PartlyKnown(dict[str, Any]):
    """The known fields of a record that has changing or hidden fields too."""


class ServerKilled(Exception):
    """The server did not answer."""


@dataclass(frozen=True)
class RequestedChange:
    """A change that a client requests."""

    who: SimulatedPerson
    method: str
    path: str
    body: Any
    facts: Callable[[Any], Facts]
    """The facts that the response acknowledges."""
    touched: tuple[str, ...] = ()
    """The existing records that it may change; it may create others."""
    makes: tuple[str, ...] = ()
    """The kinds of the records that it may create."""
    counts: tuple[str, int] | None = None
    """The item whose quantity many clients change, and the difference."""
    refusals: frozenset[str] = frozenset()
    """The codes of possible refusals, which change nothing."""
    is_kept_at: bool = False
    """True if the client repeats it until it is answered, because its work continues in the
    background."""
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str = field(default_factory=lambda: str(uuid4()))

    @property
    def has_key(self) -> bool:
        """True if a repetition changes nothing and gets the same response."""
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
        """The quantities that many clients change, shared by all recorders."""
        self.doubt: RequestedChange | None = None
        self.acknowledged = 0

    async def ask(self, asked: RequestedChange) -> Any:
        """Return the response, or None after a refusal."""
        try:
            answer = await asked.send()
        except httpx.TransportError as error:
            self.doubt = asked
            raise ServerKilled from error
        return self.learn(asked, answer)

    def learn(self, asked: RequestedChange, answer: httpx.Response) -> Any:
        if answer.status_code in (409, 422) and answer.json()["code"] in asked.refusals:
            return None
        body = json_of_success(answer)
        self.is_so(asked, body)
        return body

    def is_so(self, asked: RequestedChange, body: Any) -> None:
        self.acknowledged += 1
        for name, fact in asked.facts(body).items():
            self.note(name, fact)
        if asked.counts:
            self.counts[asked.counts[0]] += body["applied"]

    def note(self, name: str, fact: Shown | None) -> None:
        if fact is None:
            self.known.pop(name, None)
        else:
            self.known[name] = without_computed_fields(fact)

    def own_records(self, kind: str) -> list[Shown]:
        """Return the known records of a kind that only this client changes."""
        return [fact for _, fact in self.named_records(kind) if not isinstance(fact, PartlyKnown)]

    def named_records(self, kind: str) -> Iterator[tuple[str, Shown]]:
        return ((name, it) for name, it in self.known.items() if name.startswith(f"{kind}/"))


def without_computed_fields(fact: Shown) -> Shown:
    """Return a record without the fields that are computed for the reader."""
    return type(fact)((name, value) for name, value in fact.items() if name not in COMPUTED)


def describe_difference(fact: Shown, seen: Shown | None) -> str | None:
    """Describe the difference, if there is one."""
    if seen is None:
        return "is gone"
    wrong = {
        name: (value, seen.get(name)) for name, value in fact.items() if seen.get(name) != value
    }
    if not isinstance(fact, PartlyKnown):
        wrong |= {name: (None, value) for name, value in seen.items() if name not in fact}
    return f"has other values, acknowledged and found: {wrong}" if wrong else None


Way = Callable[[], Awaitable[Any]]


class Client(Recorder):
    def __init__(self, person: SimulatedPerson, dice: Random) -> None:
        super().__init__()
        self.person, self.dice = person, dice
        self.is_over = False
        self._words = 0

    def possible_actions(self) -> Iterator[Way]:
        """Return the actions that are possible now."""
        raise NotImplementedError

    async def work(self) -> None:
        """Act until the server stops answering or the test ends."""
        while not self.is_over:
            await self.dice.choice([*self.possible_actions()])()

    async def read_facts(self) -> Facts:
        """Return the facts that only this client can read."""
        return {}

    def people(self) -> Iterator[SimulatedPerson]:
        """Return all people who are signed in for this client."""
        yield self.person

    def devices(self) -> Iterator[SimulatedPerson]:
        """Return these people and the other devices of this client."""
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
        return await self.ask(RequestedChange(self.person, method, path, body, facts, **more))

    async def add(self, path: str, body: Shown, kind: str, id_: str) -> Any:
        """Create a record, which the response returns."""
        return await self.change(
            "POST", path, body, lambda made: {f"{kind}/{made[id_]}": made}, makes=(kind,)
        )

    async def edit(self, name: str, body: Shown, path: str | None = None, **more: Any) -> Any:
        """Change a record, which the response returns."""
        return await self.change(
            "PATCH", path or f"/{name}", body, lambda made: {name: made}, touched=(name,), **more
        )

    async def read(self, path: str) -> Any:
        try:
            return json_of_success(await self.person.get(path))
        except httpx.TransportError as error:
            raise ServerKilled from error

    async def pages(self, path: str, envelope: str = "items") -> list[Shown]:
        """Return all records of a list."""
        found: list[Shown] = []
        joint = "&" if "?" in path else "?"
        token = ""
        while True:
            page = await self.read(f"{path}{joint}limit=100{token}")
            found += page[envelope]
            if "nextToken" not in page:
                return found
            token = f"&nextToken={page['nextToken']}"

    def new_word(self) -> str:
        """Return a new word."""
        self._words += 1
        return f"{self._words}-{self.dice.getrandbits(40):x}"
