"""Compare random households with a model: items, their history and their notices.

An active item below its threshold has exactly one unresolved notice, and any other item none. The
history of an item adds up to its quantity.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from homeshelf import clock
from tests.api_client import Shown, get_all_pages
from tests.databases import ENGINES, tables
from tests.home import NOBODYS, Home, new_home
from tests.running import RunningApp, running_app

MOST = 9_999_999_999


@dataclass
class ExpectedItem:
    """The expected state of an item, its history and its notices."""

    name: str
    quantity: int
    threshold: int
    place: str | None
    status: str = "active"
    version: int = 1
    history: list[tuple[int, int]] = field(default_factory=list)
    """Each change with the resulting quantity, oldest first."""
    notices: list[str] = field(default_factory=list)
    """The statuses of its notices, oldest first."""

    def __post_init__(self) -> None:
        self.history.append((self.quantity, self.quantity))
        self._follow()

    @property
    def is_low(self) -> bool:
        return self.quantity < self.threshold

    def adjust(self, delta: int) -> int:
        applied = min(max(self.quantity + delta, 0), MOST) - self.quantity
        if applied:
            self.quantity += applied
            self.history.append((applied, self.quantity))
            self._changed()
        return applied

    def update_notices(self, before: int, told: list[str]) -> None:
        """Concurrent adjustments may open a notice in between, or not."""
        resolved, unresolved = told.count("resolved"), [each for each in told if each != "resolved"]
        assert before <= resolved <= self.notices.count("resolved")
        assert len(unresolved) == (self.status == "active" and self.is_low)
        self.notices = ["resolved"] * resolved + unresolved

    def expect(self, threshold: int) -> None:
        if threshold != self.threshold:
            self.threshold = threshold
            self._changed()

    def move(self, place: str | None) -> None:
        if place != self.place:
            self.place = place
            self._changed()

    def set_status(self, status: str) -> None:
        if status != self.status:
            self.status = status
            self._changed()

    def remove(self) -> None:
        self.status = "removed"
        self._follow()

    def _changed(self) -> None:
        self.version += 1
        self._follow()

    def _follow(self) -> None:
        is_open = bool(self.notices) and self.notices[-1] != "resolved"
        calls_for_one = self.status == "active" and self.is_low
        if calls_for_one and not is_open:
            self.notices.append("active")
        if is_open and not calls_for_one:
            self.notices[-1] = "resolved"


@dataclass
class ExpectedStock:
    things: dict[str, ExpectedItem] = field(default_factory=dict)
    """The items by id; removed ones stay because of their notices."""
    places: dict[str, str] = field(default_factory=dict)
    """The names of locations by their ids."""

    @property
    def kept(self) -> dict[str, ExpectedItem]:
        return {id_: thing for id_, thing in self.things.items() if thing.status != "removed"}

    def count_items_at(self, place: str) -> int:
        return sum(thing.place == place for thing in self.kept.values())


Run = Callable[[Coroutine[Any, Any, Any]], Any]

counts = st.integers(0, 6)
deltas = st.sampled_from([-1_000_000, -4, -2, -1, 1, 2, 4, 1_000_000])
item_number = st.integers(0, 99)
"""A number that selects one of the existing items."""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> pytest.FixtureRequest:
    return request


@pytest.mark.timeout(300)
def test_random_household_matches_model(engine: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Failures are not minimized here, because that takes minutes."""
    phases = (Phase.reuse, Phase.generate)
    _compare(engine, tmp_path, settings(max_examples=6, stateful_step_count=20, phases=phases))


@pytest.mark.torture
def test_random_household_matches_model_in_long_run(
    engine: pytest.FixtureRequest, tmp_path: Path
) -> None:
    _compare(engine, tmp_path, settings(max_examples=100, stateful_step_count=50))


class StockMachine(RuleBasedStateMachine):
    def __init__(self, running: RunningApp, run: Run) -> None:
        super().__init__()
        self.running, self.run = running, run
        self.cupboard = ExpectedStock()

    @initialize()
    def move_in(self) -> None:
        self.home: Home = self.run(new_home(self.running, "Lovelace", f"ada-{clock.new_id()}"))

    @rule(quantity=counts, threshold=counts, which=item_number)
    def add(self, quantity: int, threshold: int, which: int) -> None:
        place = self._pick_place(which)
        body = {"name": f"{which}", "quantity": quantity, "threshold": threshold}
        answer = self._ask("POST", "/items", body | {"locationId": place})
        if place == NOBODYS:
            assert answer.status_code == 404
            return
        assert answer.status_code == 201
        thing = ExpectedItem(f"{which}", quantity, threshold, place)
        self.cupboard.things[answer.json()["itemId"]] = thing

    @precondition(lambda self: self.cupboard.kept)
    @rule(which=item_number, delta=deltas)
    def adjust(self, which: int, delta: int) -> None:
        item_id, thing = self._pick_item(which)
        answer = self._ask("POST", f"/items/{item_id}/adjust", {"delta": delta})
        if thing.status == "archived":
            assert answer.status_code == 422
            return
        assert answer.status_code == 200
        assert answer.json()["applied"] == thing.adjust(delta)

    @precondition(lambda self: self.cupboard.kept)
    @rule(which=item_number, several=st.lists(deltas, min_size=2, max_size=6))
    def adjust_at_once(self, which: int, several: list[int]) -> None:
        """Adjust an item concurrently; the responses show the order."""
        item_id, thing = self._pick_item(which)
        if thing.status == "archived":
            return
        path = f"/items/{item_id}/adjust"
        answers = self._ask_at_once(*(("POST", path, {"delta": delta}) for delta in several))
        assert {answer.status_code for answer in answers} == {200}
        order = sorted(zip(answers, several, strict=True), key=lambda each: _version(each[0]))
        before = thing.notices.count("resolved")
        for answer, delta in order:
            assert answer.json()["applied"] == thing.adjust(delta)
        told = [each["status"] for each in self._notices() if each["itemId"] == item_id]
        thing.update_notices(before, told)

    @precondition(lambda self: self.cupboard.kept)
    @rule(which=item_number, threshold=counts, stale=st.booleans())
    def expect(self, which: int, threshold: int, *, stale: bool) -> None:
        item_id, thing = self._pick_item(which)
        body = {"threshold": threshold, "version": thing.version + stale}
        answer = self._ask("PATCH", f"/items/{item_id}", body)
        if stale:
            assert answer.status_code == 409
            assert answer.json()["current"]["version"] == thing.version
            return
        assert answer.status_code == 200
        thing.expect(threshold)

    @precondition(lambda self: self.cupboard.kept)
    @rule(which=item_number, where=item_number)
    def move(self, which: int, where: int) -> None:
        item_id, thing = self._pick_item(which)
        place = self._pick_place(where)
        body = {"locationId": place, "version": thing.version}
        answer = self._ask("PATCH", f"/items/{item_id}", body)
        if place == NOBODYS:
            assert answer.status_code == 404
            return
        assert answer.status_code == 200
        thing.move(place)

    @precondition(lambda self: self.cupboard.kept)
    @rule(which=item_number, verb=st.sampled_from(["archive", "unarchive"]))
    def set_status(self, which: int, verb: str) -> None:
        item_id, thing = self._pick_item(which)
        assert self._ask("POST", f"/items/{item_id}/{verb}").status_code == 200
        thing.set_status("archived" if verb == "archive" else "active")

    @precondition(lambda self: self.cupboard.kept)
    @rule(which=item_number)
    def remove(self, which: int) -> None:
        item_id, thing = self._pick_item(which)
        assert self._ask("DELETE", f"/items/{item_id}").status_code == 204
        thing.remove()
        assert self._ask("GET", f"/items/{item_id}").status_code == 404

    @precondition(lambda self: self.cupboard.things)
    @rule(which=item_number)
    def acknowledge(self, which: int) -> None:
        ids = list(self.cupboard.things)
        item_id = ids[which % len(ids)]
        thing = self.cupboard.things[item_id]
        told = [notice for notice in self._notices() if notice["itemId"] == item_id]
        if not told:
            return
        path = f"/notifications/{told[0]['notificationId']}/acknowledge"
        answer = self._ask("POST", path)
        if thing.notices[-1] == "resolved":
            assert answer.status_code == 409
            return
        assert answer.status_code == 200
        thing.notices[-1] = "acknowledged"

    @rule(name=st.sampled_from(["Pantry", "PANTRY", "Fridge"]))
    def add_place(self, name: str) -> None:
        answer = self._ask("POST", "/locations", {"name": name})
        taken = name.lower() in (other.lower() for other in self.cupboard.places.values())
        assert answer.status_code == (409 if taken else 201)
        if not taken:
            self.cupboard.places[answer.json()["locationId"]] = name

    @precondition(lambda self: self.cupboard.places)
    @rule(which=item_number)
    def remove_place(self, which: int) -> None:
        place = list(self.cupboard.places)[which % len(self.cupboard.places)]
        count = self.cupboard.count_items_at(place)
        answer = self._ask("DELETE", f"/locations/{place}")
        if count:
            assert answer.status_code == 409
            assert answer.json()["references"] == {"items": count}
            return
        assert answer.status_code == 204
        del self.cupboard.places[place]

    @invariant()
    def check_items(self) -> None:
        listed = self.run(get_all_pages(self.home.admin, "/items?status=all", 20))
        quantities = [item["quantity"] for item in listed]
        assert quantities == sorted(quantities)
        assert {item["itemId"]: _comparable_fields(item) for item in listed} == {
            item_id: (
                thing.name,
                thing.quantity,
                thing.threshold,
                thing.place,
                thing.status,
                thing.version,
                thing.is_low,
            )
            for item_id, thing in self.cupboard.kept.items()
        }
        places = self.run(get_all_pages(self.home.admin, "/locations", 100))
        assert {each["locationId"]: each["name"] for each in places} == self.cupboard.places

    @invariant()
    def check_notices(self) -> None:
        told: dict[str, list[str]] = {}
        for notice in reversed(self._notices()):
            told.setdefault(notice["itemId"], []).append(notice["status"])
        assert {item_id: sorted(told.get(item_id, [])) for item_id in self.cupboard.things} == {
            item_id: sorted(thing.notices) for item_id, thing in self.cupboard.things.items()
        }
        low = self.run(get_all_pages(self.home.admin, "/items?lowStock=true", 20))
        assert {item["itemId"] for item in low} == {
            item_id
            for item_id, thing in self.cupboard.kept.items()
            if thing.status == "active" and thing.is_low
        }

    def teardown(self) -> None:
        for item_id, thing in self.cupboard.kept.items():
            found = self.run(get_all_pages(self.home.admin, f"/items/{item_id}/history", 7))
            history = [(each["delta"], each["quantity"]) for each in reversed(found)]
            assert history == thing.history
            assert sum(delta for delta, _ in history) == thing.quantity

    def _pick_item(self, which: int) -> tuple[str, ExpectedItem]:
        kept = list(self.cupboard.kept.items())
        return kept[which % len(kept)]

    def _pick_place(self, which: int) -> str | None:
        """Return a place, None, or the id of a place that does not exist."""
        choices = [None, *self.cupboard.places, NOBODYS]
        return choices[which % len(choices)]

    def _notices(self) -> list[Shown]:
        found: list[Shown] = self.run(get_all_pages(self.home.admin, "/notifications", 50))
        return found

    def _ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        answer: httpx.Response = self.run(self.home.admin.ask(method, path, body))
        return answer

    def _ask_at_once(self, *asked: tuple[str, str, Any]) -> list[httpx.Response]:
        async def send_concurrently() -> list[httpx.Response]:
            return await asyncio.gather(*(self.home.admin.ask(*each) for each in asked))

        answers: list[httpx.Response] = self.run(send_concurrently())
        return answers


def _comparable_fields(item: Shown) -> tuple[Any, ...]:
    names = ("name", "quantity", "threshold", "locationId", "status", "version", "isLowStock")
    return tuple(item[name] for name in names)


def _version(answer: httpx.Response) -> int:
    """Return the version after a change; one without effect has the version of the last."""
    changed: bool = answer.json()["applied"] != 0
    version: int = answer.json()["item"]["version"]
    return version * 2 + (not changed)


def _compare(engine: pytest.FixtureRequest, folder: Path, wanted: settings) -> None:
    with _open_app(engine, folder) as (running, run):
        machine: Any = partial(StockMachine, running, run)
        run_state_machine_as_test(machine, settings=settings(wanted, deadline=None))


@contextmanager
def _open_app(engine: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[RunningApp, Run]]:
    """Use a separate event loop, because Hypothesis does not await."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        open_another = runner.run(stack.enter_async_context(tables(engine, folder)))
        running = runner.run(stack.enter_async_context(running_app(open_another())))
        try:
            yield running, runner.run
        finally:
            runner.run(stack.aclose())
