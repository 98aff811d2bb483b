"""A family that keeps changing records and checks that each acknowledged change happened once.

    async with start_household(url) as family:
        async with family.busy():
            await family.complete_changes(40)
            with something_broken():
                await family.require_refusals(10)
            await family.complete_changes(40)
        await family.require_no_lost_changes()

Each member repeats a refused request under the same key until it succeeds. So at the end a missing
change was lost, and a surplus one was carried out twice.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any

from homeshelf import clock
from tests.cases import seeded_random
from tests.faults.observers import Caller, Callers, HealthWatcher, Seen, StreamListener
from tests.outbox.post_office import PostOffice
from tests.servers import Server

PASSWORD = "correct horse battery"
PEOPLE = 4
ITEMS = 3
START = 1000
PAUSE_SECONDS = 0.02
WITHIN_SECONDS = 60.0
API = "/api/v1"
SETTINGS = {
    f"HOMESHELF_LIMIT_{name}": "2000/s"
    for name in ("WRITES", "TAPS", "TAPS_DAY", "MAIL", "LETTERS", "INVITATIONS")
}


@dataclass
class ExpectedState:
    """The expected state at the end."""

    quantities: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    """The number of quantity changes of each item, including the first."""
    entries: dict[str, str] = field(default_factory=dict)
    """The status of each shopping entry."""
    names: list[str] = field(default_factory=list)
    """The names of created items."""
    ticks: dict[str, bool] = field(default_factory=dict)
    pages: list[int] = field(default_factory=list)
    invited: list[str] = field(default_factory=list)


class Family:
    def __init__(self, callers: Callers, dice: Random) -> None:
        self.callers = callers
        self.seen: Seen = callers.seen
        self.wanted = ExpectedState()
        self.dice = dice
        self.invites = False
        self._people: list[Caller] = []
        self._who: dict[str, str] = {}
        self._authorization: dict[str, str] = {}
        self._items: list[str] = []
        self._share = ""
        self._book = ""
        self._tag = ""
        self._looker: Caller = callers.new()
        self._stop = asyncio.Event()
        self.listening: StreamListener
        self.watching: HealthWatcher

    async def move_in(self) -> None:
        ada = self.callers.new()
        who = {"email": f"{clock.new_id()}@home.local", "password": PASSWORD}
        await ada.retry_until_done("POST", f"{API}/accounts", who | {"name": "Ada"})
        self._who = who
        self._people = [ada, *(self.callers.new() for _ in range(PEOPLE - 1))]
        for person in self._people:
            person.authorization = self._authorization
        await self.sign_in()
        await ada.retry_until_done("POST", f"{API}/families", {"name": "Lovelace"})
        for number in range(ITEMS):
            body = {"name": f"Item {number}", "quantity": START}
            made = await ada.retry_until_done("POST", f"{API}/items", body)
            self._items.append(made["itemId"])
            self.wanted.names.append(made["name"])
            self.wanted.quantities[made["itemId"]] = START
            self.wanted.changes[made["itemId"]] = 1
        tag = await ada.retry_until_done("POST", f"{API}/items/{self._items[0]}/nfc-urls", {})
        self._tag = tag["urlId"]
        things = [{"name": f"Thing {number}"} for number in range(PEOPLE)]
        shared = await ada.retry_until_done(
            "POST", f"{API}/shareables", {"name": "Camping", "items": things}
        )
        self._share = shared["shortId"]
        self.wanted.ticks = {each["checklistItemId"]: False for each in shared["items"]}
        self._book = (await ada.retry_until_done("POST", f"{API}/books", {"title": "Emma"}))["id"]
        await self._looker.once("POST", "/sign-in", data=who, headers={"Origin": ada.url})
        self.listening = StreamListener(self._looker.url, self._authorization)
        self.watching = HealthWatcher(self._looker.url)

    async def sign_in(self) -> None:
        """Sign all members in with a new token."""
        tokens = await self._looker.retry_until_done("POST", f"{API}/tokens", self._who)
        self._authorization["Authorization"] = f"Bearer {tokens['accessToken']}"

    async def verify(self, office: PostOffice) -> None:
        """Verify the admin's address, without which no invitations are mailed."""
        token = (await office.mail()).link.rpartition("/")[2]
        await self._looker.retry_until_done("POST", f"{API}/accounts/verify", {"token": token})

    @asynccontextmanager
    async def busy(self) -> AsyncIterator[None]:
        """Let all members work as long as the block lasts, and then finish."""
        self._stop.clear()
        async with self.listening.on(), self.watching.on():
            async with asyncio.TaskGroup() as group:
                for number, person in enumerate(self._people):
                    group.create_task(self._go_on(person, number, Random(self.dice.random())))
                group.create_task(self._look_around())
                try:
                    yield
                finally:
                    self._stop.set()
            await self.listening.wait_for_ids(self.wanted.entries)

    async def complete_changes(self, number: int, within: float = WITHIN_SECONDS) -> None:
        """Wait until this number of further changes was acknowledged."""
        await self._wait_for_count(lambda: self.seen.acknowledged, number, within, "acknowledged")

    async def require_refusals(self, number: int, within: float = WITHIN_SECONDS) -> None:
        await self._wait_for_count(lambda: self.seen.refused, number, within, "refused")

    async def add(self) -> dict[str, Any]:
        """Add a shopping entry as one of the members."""
        return await self._add(self._people[0])

    async def invite(self) -> None:
        await self._invite(self._people[0], 0, self.dice)

    async def require_no_lost_changes(self) -> None:
        """Check that no change is missing or doubled, and no response was unexpected."""
        assert not self.seen.surprises, self.seen.surprises[:5]
        ada = self._people[0]
        for item_id in self._items:
            item = await ada.retry_until_done("GET", f"{API}/items/{item_id}")
            history = await self._read_all(ada, f"{API}/items/{item_id}/history")
            assert item["quantity"] == self.wanted.quantities[item_id]
            assert len(history) == self.wanted.changes[item_id]
            assert sum(each["delta"] for each in history) == item["quantity"]
        entries = await self._read_all(ada, f"{API}/shopping-list")
        assert {each["shoppingItemId"]: each["status"] for each in entries} == self.wanted.entries
        items = await self._read_all(ada, f"{API}/items")
        assert sorted(each["name"] for each in items) == sorted(self.wanted.names)
        shared = await ada.retry_until_done("GET", f"{API}/shareables/{self._share}")
        ticks = {each["checklistItemId"]: each["checked"] for each in shared["items"]}
        assert ticks == self.wanted.ticks
        events = await self._read_all(ada, f"{API}/books/{self._book}/events")
        assert Counter(each["page"] for each in events) == Counter(self.wanted.pages)
        invitations = await self._read_all(ada, f"{API}/invitations")
        assert sorted(each["email"] for each in invitations) == sorted(self.wanted.invited)
        assert not self.listening.surprises, self.listening.surprises[:5]
        assert not self.watching.surprises, self.watching.surprises[:5]

    async def _go_on(self, person: Caller, number: int, dice: Random) -> None:
        kinds: list[Callable[[Caller, int, Random], Awaitable[None]]] = [
            self._adjust,
            self._adjust,
            self._tap,
            self._add_and_tick,
            self._add_and_delete,
            self._make,
            self._tick_shared,
            self._read_on,
        ]
        if self.invites:
            kinds.append(self._invite)
        while not self._stop.is_set():
            await dice.choice(kinds)(person, number, dice)
            await asyncio.sleep(PAUSE_SECONDS * dice.random() * 2)

    async def _adjust(self, person: Caller, _number: int, dice: Random) -> None:
        item_id, delta = dice.choice(self._items), dice.choice((-2, -1, 1, 3))
        await person.retry_until_done("POST", f"{API}/items/{item_id}/adjust", {"delta": delta})
        self._expect_adjustment(item_id, delta)

    async def _tap(self, person: Caller, _number: int, dice: Random) -> None:
        delta = dice.choice((-1, 1))
        await person.retry_until_done("POST", f"{API}/taps/{self._tag}", {"delta": delta})
        self._expect_adjustment(self._items[0], delta)

    async def _add_and_tick(self, person: Caller, _number: int, dice: Random) -> None:
        entry = await self._add(person)
        id_ = entry["shoppingItemId"]
        if dice.random() < 0.7:
            body = {"status": "purchased", "version": entry["version"]}
            await person.retry_until_done("PATCH", f"{API}/shopping-list/{id_}/status", body)
            self.wanted.entries[id_] = "purchased"

    async def _add_and_delete(self, person: Caller, _number: int, _dice: Random) -> None:
        entry = await self._add(person)
        gone = frozenset({404})  # the first response may be lost, and a deletion has no key
        path = f"{API}/shopping-list/{entry['shoppingItemId']}"
        await person.retry_until_done("DELETE", path, also=gone)
        del self.wanted.entries[entry["shoppingItemId"]]

    async def _add(self, person: Caller) -> dict[str, Any]:
        body = {"name": clock.new_id()}
        entry: dict[str, Any] = await person.retry_until_done("POST", f"{API}/shopping-list", body)
        self.wanted.entries[entry["shoppingItemId"]] = entry["status"]
        return entry

    async def _make(self, person: Caller, _number: int, _dice: Random) -> None:
        made = await person.retry_until_done("POST", f"{API}/items", {"name": clock.new_id()})
        self.wanted.names.append(made["name"])

    async def _tick_shared(self, person: Caller, number: int, _dice: Random) -> None:
        """Tick a shared entry with the member's own value; the last one wins."""
        id_ = list(self.wanted.ticks)[number]
        checked = not self.wanted.ticks[id_]
        path = f"{API}/shareables/{self._share}/items/{id_}"
        await person.retry_until_done("PATCH", path, {"checked": checked})
        self.wanted.ticks[id_] = checked

    async def _read_on(self, person: Caller, _number: int, dice: Random) -> None:
        page = dice.randint(1, 400)
        await person.retry_until_done("POST", f"{API}/books/{self._book}/page", {"page": page})
        self.wanted.pages.append(page)

    async def _invite(self, person: Caller, _number: int, _dice: Random) -> None:
        email = f"{clock.new_id()}@home.local"
        body = {"email": email, "role": "suggester"}
        await person.retry_until_done("POST", f"{API}/invitations", body)
        self.wanted.invited.append(email)

    def _expect_adjustment(self, item_id: str, delta: int) -> None:
        self.wanted.quantities[item_id] += delta
        self.wanted.changes[item_id] += 1

    async def _look_around(self) -> None:
        """Open one page after the other, as a browser does."""
        html = {"Accept": "text/html"}
        while not self._stop.is_set():
            for path in ("/", "/list", "/stock", f"/t/{self._tag}", f"/s/{self._share}"):
                await self._looker.once("GET", path, headers=html)
                await asyncio.sleep(PAUSE_SECONDS)

    async def require_mailed(self, office: PostOffice) -> None:
        """Check that each invited person got one mail, and the admin only account mail."""
        ends = monotonic() + WITHIN_SECONDS
        while len(mailed := self._invited_addresses(office)) < len(self.wanted.invited):
            assert monotonic() < ends, f"{len(mailed)} of {len(self.wanted.invited)} were mailed"
            await asyncio.sleep(0.05)
        assert sorted(mailed) == sorted(self.wanted.invited)

    def _invited_addresses(self, office: PostOffice) -> list[str]:
        return [to for mail in office.mails for to in mail.to if to != self._who["email"]]

    async def _wait_for_count(
        self, count: Callable[[], int], number: int, within: float, what: str
    ) -> None:
        began, wanted = monotonic(), count() + number
        while count() < wanted:
            missing = f"{wanted - count()} of {number} not {what} in {within} s"
            assert monotonic() - began < within, f"{missing}; {self.seen.surprises[:3]}"
            await asyncio.sleep(0.01)

    @staticmethod
    async def _read_all(person: Caller, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        token: str | None = ""
        while token is not None:
            mark = f"&nextToken={token}" if token else ""
            page = await person.retry_until_done("GET", f"{path}?limit=100{mark}")
            found += page["items"]
            token = page.get("nextToken")
        return found


@asynccontextmanager
async def start_household(url: str) -> AsyncIterator[Family]:
    async with Callers(url) as callers:
        family = Family(callers, seeded_random())
        await family.move_in()
        yield family


def settings_for(server: Server, endpoint: str, prefix: str) -> dict[str, str]:
    """Return the settings of a household whose database is at this endpoint."""
    place = f"dynamodb://{server.region}?endpoint={endpoint}&prefix={prefix}"
    return {
        "HOMESHELF_DATABASE": f"{place}&prefixes={server.prefixes}",
        "AWS_ACCESS_KEY_ID": server.access_key,
        "AWS_SECRET_ACCESS_KEY": server.secret_key,
    }
