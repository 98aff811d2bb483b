"""A household whose server is killed again and again, and the facts that its clients know.

house = await Household.move_in(url, dice)
await house.use_until(killed)           all clients act at once
await house.return_to(another_url)      compare the server with the acknowledged facts
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random

from tests.torture.people import SimulatedPerson, invite_and_accept, json_of_success, sign_up
from tests.torture.reading_clients import (
    Decider,
    Importer,
    Reader,
    Tapper,
    put_file_onto_shelf,
    require_whole_shelf,
)
from tests.torture.recorder import (
    Client,
    PartlyKnown,
    RequestedChange,
    ServerKilled,
    Shown,
    describe_difference,
    without_computed_fields,
)
from tests.torture.sharing_clients import Host, Sharer
from tests.torture.stock_clients import Keeper, Shopper

LISTS = {
    "items": ("/items?status=all", "itemId"),
    "shopping-list": ("/shopping-list", "shoppingItemId"),
    "locations": ("/locations", "locationId"),
    "stores": ("/stores", "storeId"),
    "suggestions": ("/suggestions", "suggestionId"),
    "members": ("/members?status=all", "memberId"),
    "invitations": ("/invitations?status=all", "invitationId"),
    "nfc-urls": ("/nfc-urls?status=all", "urlId"),
    "notifications": ("/notifications", "notificationId"),
}
SERVER_MADE = ("notifications/",)
"""Records that the server creates and deletes without a request."""
GIVES_UP = 0.25
GUESTS = 2
PATIENT_SECONDS = 60
"""A time longer than a killed process blocks its work for other processes."""
NOT_FOUND, SERVICE_UNAVAILABLE = 404, 503


@dataclass
class Household:
    admin: Client
    clients: Sequence[Client]
    dice: Random
    importer: Importer
    hot: str
    outcomes: Counter[str] = field(default_factory=Counter)
    """The outcomes of the changes without a response."""

    @staticmethod
    async def move_in(url: str, dice: Random) -> "Household":
        ada, eve, kid = [await sign_up(url, name) for name in ("Ada", "Eve", "Kid")]
        family = json_of_success(await ada.post("/families", {"name": "Lovelace"}))["familyId"]
        await invite_and_accept(ada, eve, "admin")
        await invite_and_accept(ada, kid, "suggester")
        guests = [await sign_up(url, "Guest") for _ in range(GUESTS)]
        hot = json_of_success(await ada.post("/items", {"name": "Rice", "quantity": 100_000}))
        store = json_of_success(await ada.post("/stores", {"name": "Market"}))

        def new_device() -> tuple[SimulatedPerson, Random]:
            return eve.second_device(), Random(dice.random())

        importer = Importer(*new_device())
        clients = [
            Host(ada, guests, family, Random(dice.random())),
            Keeper(*new_device()),
            Keeper(*new_device()),
            Shopper(*new_device()),
            Decider(eve, kid, Random(dice.random())),
            Tapper(*new_device()),
            Sharer(*new_device()),
            Reader(*new_device()),
            importer,
        ]
        house = Household(clients[0], clients, dice, importer, f"items/{hot['itemId']}")
        counts = {house.hot: 100_000}
        for client in clients:
            client.counts = counts
            if isinstance(client, Host):
                client.family = (ada, eve, kid)
            if isinstance(client, Keeper | Tapper):
                client.hot = house.hot
            if isinstance(client, Shopper):
                client.store = store["storeId"]
        for name, found in (await house.read_facts()).items():
            house.admin.note(name, found)
        house.admin.note(house.hot, PartlyKnown(name="Rice"))
        return house

    @property
    def acknowledged(self) -> int:
        return sum(client.acknowledged for client in self.clients)

    def batches_in_doubt(self) -> list[list[str]]:
        """Return the ids of items that were requested together."""
        doubts = [client.doubt for client in self.clients if client.doubt]
        batches = [asked.body["items"] for asked in doubts if asked.path == "/items/batch"]
        return [[item["itemId"] for item in batch] for batch in batches]

    async def sign_in(self) -> None:
        for client in self.clients:
            await client.sign_in()

    async def leave(self) -> None:
        for client in self.clients:
            await client.leave()

    async def complete_imports(self) -> None:
        """Complete the imports by sending their files again."""
        for reader in self.importer.cut_off:
            await put_file_onto_shelf(reader)
            await require_whole_shelf(reader)

    async def use_until(self, killed: Awaitable[None]) -> None:
        """Run all clients until the server stops answering or a process was killed."""
        for client in self.clients:
            client.is_over = False
        working = [asyncio.create_task(client.work()) for client in self.clients]
        await killed
        for client in self.clients:
            client.is_over = True
        for each in await asyncio.gather(*working, return_exceptions=True):
            if isinstance(each, BaseException) and not isinstance(each, ServerKilled):
                raise each

    async def return_to(self, url: str) -> None:
        """Require all acknowledged changes, and none of the others by half. Then repeat most of the
        unanswered requests, which must get the response of the first attempt."""
        for client in self.clients:
            await client.move_to(url)
        before, first = self.known(), await self.read_facts()
        doubts = [(client, client.doubt) for client in self.clients if client.doubt]
        self._require_acknowledged(before, first, [asked for _, asked in doubts])
        left: list[tuple[Client, RequestedChange]] = []
        again: list[tuple[Client, RequestedChange]] = []
        for client, asked in doubts:
            (left if self._abandons_request(asked) else again).append((client, asked))
        await asyncio.gather(*(_ask_again(client, asked, before, first) for client, asked in again))
        for client, asked in left:
            self._accept_current_state(client, asked, before, first)
        second = await self.read_facts()
        self.require_known(second)
        for client, asked in doubts:
            made = client.known.keys() - before.keys()
            self.outcomes[name_outcome(asked, made, before, first, second)] += 1
            client.doubt = None

    async def read_facts(self) -> dict[str, Shown]:
        """Return all records."""
        found: dict[str, Shown | None] = {}
        for kind, (path, id_) in LISTS.items():
            envelope = kind if kind == "suggestions" else "items"
            for it in await self.admin.pages(path, envelope):
                found[f"{kind}/{it[id_]}"] = it
        for client in self.clients:
            found |= await client.read_facts()
        return {
            name: without_computed_fields(fact) for name, fact in found.items() if fact is not None
        }

    def known(self) -> dict[str, Shown]:
        return {name: it for client in self.clients for name, it in client.known.items()}

    def require_known(self, seen: Mapping[str, Shown]) -> None:
        """Require that the records on the server and the known records are the same."""
        self._require(self.known(), seen, set())
        unknown = seen.keys() - self.known().keys()
        unknown = {name for name in unknown if not name.startswith(SERVER_MADE)}
        assert not unknown, f"nobody asked for {unknown}"
        count = self.admin.counts[self.hot]
        assert seen[self.hot]["quantity"] == count, "an adjustment is lost, or done twice"

    def _require_acknowledged(
        self,
        known: Mapping[str, Shown],
        seen: Mapping[str, Shown],
        doubts: Sequence[RequestedChange],
    ) -> None:
        self._require(known, seen, {name for asked in doubts for name in asked.touched})
        deltas = [asked.counts[1] for asked in doubts if asked.counts]
        count = self.admin.counts[self.hot]
        possible = {count + sum(some) for some in product(*((0, delta) for delta in deltas))}
        assert seen[self.hot]["quantity"] in possible, "an adjustment is lost, or half done"

    def _require(
        self, known: Mapping[str, Shown], seen: Mapping[str, Shown], doubted: set[str]
    ) -> None:
        wrong = {
            name: why
            for name, fact in known.items()
            if name not in doubted and (why := describe_difference(fact, seen.get(name)))
        }
        assert not wrong, f"of what was acknowledged: {wrong}"

    def _abandons_request(self, asked: RequestedChange) -> bool:
        return not asked.is_kept_at and not asked.counts and self.dice.random() < GIVES_UP

    def _accept_current_state(
        self,
        client: Client,
        asked: RequestedChange,
        before: Mapping[str, Shown],
        seen: Mapping[str, Shown],
    ) -> None:
        """Accept the records as they are, even those whose creation was not answered."""
        for name in asked.touched:
            client.note(name, seen.get(name))
        known = {*before, *self.known()}
        for name, found in seen.items():
            if name not in known and any(name.startswith(f"{kind}/") for kind in asked.makes):
                client.note(name, found)


async def _ask_again(
    client: Client, asked: RequestedChange, before: Mapping[str, Shown], seen: Mapping[str, Shown]
) -> None:
    """Repeat a request without a key only if it was not done: it would be a second one."""
    if not asked.has_key and not asked.is_kept_at and _is_done(asked, before, seen):
        for name in asked.touched:
            client.note(name, seen.get(name))
        return
    async with asyncio.timeout(PATIENT_SECONDS):
        while (answer := await asked.send()).status_code == SERVICE_UNAVAILABLE:  # noqa: ASYNC110
            await asyncio.sleep(float(answer.headers["Retry-After"]) / 10)
    if asked.method == "DELETE" and answer.status_code == NOT_FOUND:
        client.is_so(asked, None)
    else:
        client.learn(asked, answer)


def _is_done(
    asked: RequestedChange, before: Mapping[str, Shown], seen: Mapping[str, Shown]
) -> bool:
    """Return whether all records of the request have changed; a partial change is an error."""
    changed = {_has_changed(name, before, seen) for name in asked.touched}
    assert len(changed) == 1, f"{asked.method} {asked.path} is there by half"
    return changed == {True}


def name_outcome(
    asked: RequestedChange,
    made: Iterable[str],
    before: Mapping[str, Shown],
    first: Mapping[str, Shown],
    second: Mapping[str, Shown],
) -> str:
    """Name the outcome; a record seen before the repetition must be in its old or final state."""
    if asked.counts or asked.is_kept_at:
        return "could not be told"
    names = {*asked.touched, *made}
    if not any(_has_changed(name, before, first) for name in names):
        return "were not there"
    half = [name for name in names if first.get(name) != second.get(name)]
    assert not half, f"{asked.method} {asked.path} is there by half: {half}"
    return "were there"


def _has_changed(name: str, before: Mapping[str, Shown], now: Mapping[str, Shown]) -> bool:
    if name not in before:
        return name in now
    return bool(describe_difference(before[name], now.get(name)))
