"""Somebody who does one thing after another, whatever their dice say."""

from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any

import httpx

from tests.torture.people import Somebody, result
from tests.torture.recorder import Asked, Facts, Killed, Recorder, Shown

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
