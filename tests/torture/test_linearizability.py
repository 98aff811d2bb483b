"""Versioned records are linearizable on both engines and through two processes."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.cases import seeded_random
from tests.forked_processes import served
from tests.processes import served as served_anew
from tests.torture.killing import Say
from tests.torture.linearizability import ReadStep, RefusedStep, WriteStep, find_faults
from tests.torture.people import HIGH_LIMITS, SimulatedPerson, json_of_success, sign_up

CLIENTS = 8
HOT_SHARE = 0.6
"""The share of actions on the busiest record."""

Shown = dict[str, Any]


@dataclass(frozen=True)
class SharedRecord:
    """A record that many clients change."""

    path: str
    ways: Sequence[Callable[["Client", "SharedRecord"], Any]]


@dataclass
class History:
    """All reads and writes of the clients, which share one process and its clock."""

    steps: list[ReadStep] = field(default_factory=list)
    doubtful: Counter[str] = field(default_factory=Counter)


async def test_observations_are_linearizable(tmp_path: Path, where: dict[str, str]) -> None:
    with ExitStack() as stack:
        both = [stack.enter_context(served(tmp_path, **HIGH_LIMITS, **where)) for _ in range(2)]
        await _look_for_faults([each.url for each in both], seconds=1)


@pytest.mark.torture
@pytest.mark.timeout(300)
async def test_observations_during_a_minute_are_linearizable(
    tmp_path: Path, where: dict[str, str], say: Say
) -> None:
    with _run_two_processes(tmp_path, where) as urls:
        kinds = await _look_for_faults(urls, seconds=60)
    say(", ".join(f"{number:,} {kind.__name__.lower()}" for kind, number in kinds.items()))


@contextmanager
def _run_two_processes(folder: Path, where: Mapping[str, str]) -> Iterator[list[str]]:
    """Run two workers of one server on a file, or two servers on shared tables."""
    if where["HOMESHELF_DATABASE"].startswith("sqlite"):
        with served_anew(folder, "--workers", "2", **HIGH_LIMITS, **where) as homeshelf:
            yield [homeshelf.url]
        return
    with (
        served(folder, **HIGH_LIMITS, **where) as one,
        served(folder, **HIGH_LIMITS, **where) as other,
    ):
        yield [one.url, other.url]


async def _look_for_faults(urls: Sequence[str], seconds: float) -> Counter[type[ReadStep]]:
    dice, history = seeded_random(), History()
    ada = await sign_up(urls[0], "Ada")
    json_of_success(await ada.post("/families", {"name": "Lovelace"}))
    subjects = await _create_records(ada)
    clients = [
        Client(urls[number % len(urls)], ada, history, Random(dice.random()))
        for number in range(CLIENTS)
    ]
    ends = time.monotonic() + seconds
    async with asyncio.TaskGroup() as group:
        for client in clients:
            group.create_task(client.work(subjects, ends))
    await ada.leave()
    assert find_faults(history.steps, history.doubtful) == []
    kinds = Counter(type(step) for step in history.steps)
    assert min(kinds[kind] for kind in (ReadStep, WriteStep, RefusedStep)) > seconds, kinds
    assert sum(history.doubtful.values()) < len(history.steps) / 100
    return kinds


async def _create_records(ada: SimulatedPerson) -> list[SharedRecord]:
    """Create the subjects, the hot one first."""
    items = [await ada.post("/items", {"name": "Rice", "quantity": 10_000}) for _ in range(2)]
    entry = await ada.post("/shopping-list", {"name": "Milk"})
    place = await ada.post("/locations", {"name": "Pantry"})
    noted, named = change_field("notes"), change_field("description")
    return [
        *(
            SharedRecord(f"/items/{json_of_success(it)['itemId']}", (read_record, noted, adjust))
            for it in items
        ),
        SharedRecord(
            f"/shopping-list/{json_of_success(entry)['shoppingItemId']}", (read_record, noted, tick)
        ),
        SharedRecord(f"/locations/{json_of_success(place)['locationId']}", (read_record, named)),
    ]


class Client(SimulatedPerson):
    """One of many clients of the same person."""

    def __init__(self, url: str, person: SimulatedPerson, history: History, dice: Random) -> None:
        super().__init__(url)
        self.client.headers = person.client.headers
        self.history, self.dice = history, dice
        self.last: dict[str, Shown] = {}
        """Each record as last seen, which may be outdated."""

    async def work(self, subjects: Sequence[SharedRecord], ends: float) -> None:
        hot, *others = subjects
        while time.monotonic() < ends:
            subject = hot if self.dice.random() < HOT_SHARE else self.dice.choice(others)
            way = self.dice.choice(subject.ways) if subject.path in self.last else read_record
            await way(self, subject)
        await self.leave()

    async def note(
        self, subject: SharedRecord, answering: Any, kind: type[ReadStep] = ReadStep, **more: Any
    ) -> None:
        asked_at = time.monotonic_ns()
        answer: httpx.Response = await answering
        answered_at = time.monotonic_ns()
        if answer.status_code == 503:
            self.history.doubtful[subject.path] += kind is WriteStep
            return
        if answer.status_code == 409:
            body, kind = answer.json()["current"], RefusedStep
            more = {"wanted": more["wanted"]}
        else:
            body = json_of_success(answer)
            body = body.get("item", body)
        self.last[subject.path] = body
        times = subject.path, asked_at, answered_at, body["version"]
        if kind is WriteStep and body["version"] == more["wanted"]:  # it had this value already
            kind, more = ReadStep, {}
        self.history.steps.append(kind(*times, body, **more))


async def read_record(client: Client, subject: SharedRecord) -> None:
    await client.note(subject, client.get(subject.path))


def change_field(field_: str) -> Callable[[Client, SharedRecord], Any]:
    """Set a field to a unique value, at the version last seen."""

    async def set_new_value(client: Client, subject: SharedRecord) -> None:
        given = {field_: f"{client.dice.getrandbits(60):x}"}
        await _patch(client, subject, subject.path, given)

    return set_new_value


async def tick(client: Client, subject: SharedRecord) -> None:
    given = {"status": client.dice.choice(["pending", "purchased"])}
    await _patch(client, subject, f"{subject.path}/status", given)


async def _patch(client: Client, subject: SharedRecord, path: str, given: Shown) -> None:
    version = client.last[subject.path]["version"]
    answering = client.patch(path, given | {"version": version})
    await client.note(subject, answering, WriteStep, given=given, wanted=version)


async def adjust(client: Client, subject: SharedRecord) -> None:
    delta = client.dice.choice([-2, -1, 1, 2])
    answering = client.post(f"{subject.path}/adjust", {"delta": delta})
    await client.note(subject, answering, WriteStep, delta=delta, wanted=None)
