"""Test that each first step is done or skipped on its own."""

import asyncio

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.home.steps import (
    BY_NAME,
    Name,
    SettledStep,
    read_progress,
    restore_step,
    settled_steps,
    skip_step,
)
from homeshelf.inventory.store import all_items
from homeshelf.shopping.habits import HabitLearner
from tests.api_client import add_entry, add_item, add_place, add_purchased_entry, entry_path
from tests.costs import count_operations
from tests.home import Home, new_home
from tests.pages import Page, led_to, look, send, sent_from_elsewhere
from tests.running import Person, RunningApp

TITLES = {
    "places": "Set up your places",
    "things": "Add your first ten things",
    "list": "Add to the list",
    "people": "Invite your family",
}
PATHS = {"places": "/places", "things": "/stock/take", "list": "/list", "people": "/family"}


def skip_path(name: str) -> str:
    return f"/steps/{name}/leave-out"


def done_steps(page: Page) -> set[str]:
    """Return the steps shown as done."""
    return {name for name, title in TITLES.items() if f"{title} Done" in page.words}


def open_steps(page: Page) -> set[str]:
    return {name for name in TITLES if page.has_form(skip_path(name))}


async def complete_step(home: Home, name: str) -> None:
    match name:
        case "places":
            await add_place(home.admin, "locations", "Pantry")
        case "things":
            for number in range(10):
                await add_item(home.admin, name=f"Thing {number}")
        case "list":
            await add_entry(home.admin, name="Milk")
        case "people":
            await home.with_member("ben", "suggester")


async def test_new_family_sees_all_open_steps(home: Home) -> None:
    page = await look(home.admin, "/")
    assert page.in_order("Hello ada", "What to do next", *TITLES.values(), "At home")
    assert set(PATHS.values()) <= set(page.links)
    assert open_steps(page) == TITLES.keys()
    assert done_steps(page) == set()
    assert "Running low" not in page.words


@pytest.mark.parametrize("name", TITLES)
async def test_completed_step_is_shown_as_done(home: Home, name: str) -> None:
    await complete_step(home, name)
    page = await look(home.admin, "/")
    assert done_steps(page) == {name}
    assert open_steps(page) == TITLES.keys() - {name}


@pytest.mark.parametrize("name", TITLES)
async def test_step_can_be_skipped_and_restored(home: Home, name: str) -> None:
    page = await look(home.admin, "/")
    assert led_to(await page.send(skip_path(name))) == f"/?left={name}"
    page = await look(home.admin, f"/?left={name}")
    assert page.in_order("Hidden for everyone at home.", "What to do next")
    assert TITLES[name] not in page.words
    assert open_steps(page) == TITLES.keys() - {name}
    assert led_to(await page.send(f"/steps/{name}/bring-back")) == "/"
    page = await look(home.admin, f"/?left={name}")
    assert "Hidden" not in page.words
    assert open_steps(page) == TITLES.keys()


async def test_steps_disappear_for_good_once_all_are_done(home: Home) -> None:
    for number, name in enumerate(TITLES, 1):
        assert len(done_steps(await look(home.admin, "/"))) == number - 1
        await complete_step(home, name)
    page = await look(home.admin, "/")
    assert "What to do next" not in page.words
    assert "You have enough of everything" in page.words
    db = home.running.db
    for item in await db.all(all_items(home.family_id)):
        await db.write(item.delete())
    assert "What to do next" not in (await look(home.admin, "/")).words


async def test_step_stays_done_after_its_place_is_deleted(home: Home) -> None:
    place = await add_place(home.admin, "locations", "Pantry")
    assert done_steps(await look(home.admin, "/")) == {"places"}
    answer = await home.admin.delete(f"/locations/{place['locationId']}")
    assert answer.status_code == 204
    assert done_steps(await look(home.admin, "/")) == {"places"}


async def test_last_skipped_step_can_be_restored(home: Home) -> None:
    for name in TITLES:
        await send(home.admin, skip_path(name))
    assert "Hidden" not in (await look(home.admin, "/")).words
    page = await look(home.admin, "/?left=people")
    assert "What to do next" not in page.words
    await page.send("/steps/people/bring-back")
    assert open_steps(await look(home.admin, "/")) == {"people"}


async def test_items_step_shows_progress_up_to_ten(home: Home) -> None:
    for number in range(9):
        await add_item(home.admin, name=f"Thing {number}")
    page = await look(home.admin, "/")
    assert "9 of 10 so far" in page.words
    assert done_steps(page) == set()
    await add_item(home.admin, name="The tenth")
    assert done_steps(await look(home.admin, "/")) == {"things"}


async def test_list_step_counts_deleted_purchase(home: Home) -> None:
    milk = await add_purchased_entry(home.admin, name="Milk")
    await home.running.services.of(HabitLearner).flush()
    assert (await home.admin.delete(entry_path(milk))).status_code == 204
    assert done_steps(await look(home.admin, "/")) == {"list"}


async def test_completed_step_cannot_be_skipped_or_restored(home: Home) -> None:
    place = await add_place(home.admin, "locations", "Pantry")
    await look(home.admin, "/")
    await home.admin.delete(f"/locations/{place['locationId']}")
    for path in (skip_path("places"), "/steps/places/bring-back"):
        assert led_to(await send(home.admin, path)).startswith("/")
        assert done_steps(await look(home.admin, "/")) == {"places"}
    assert "Hidden" not in (await look(home.admin, "/?left=places")).words


async def test_skipped_step_is_skipped_for_every_admin(home: Home) -> None:
    other = await home.with_member("ben", "admin")
    await send(home.admin, skip_path("places"))
    assert open_steps(await look(other, "/")) == {"things", "list"}
    assert "Hidden" not in (await look(other, "/")).words


async def test_child_cannot_see_skip_or_restore_steps(home: Home, kid: Person) -> None:
    page = await look(kid, "/")
    assert "What to do next" not in page.words
    for name, title in TITLES.items():
        assert title not in page.words
        for path in (skip_path(name), f"/steps/{name}/bring-back"):
            assert (await send(kid, path)).status_code == 403
    assert open_steps(await look(home.admin, "/")) == TITLES.keys() - {"people"}


async def test_strangers_cannot_skip_steps_of_a_family(
    home: Home, neighbour: Person, gone: Person, running: RunningApp
) -> None:
    await send(neighbour, skip_path("places"))
    assert open_steps(await look(neighbour, "/")) == TITLES.keys() - {"places"}
    assert (await send(gone, skip_path("places"))).status_code in (303, 403, 404, 409)
    visitor = await send(running.visitor(), skip_path("places"))
    assert "/sign-in" in visitor.headers.get("location", "")
    assert await sent_from_elsewhere(home.admin, skip_path("places")) == 403
    assert "places" in open_steps(await look(home.admin, "/"))


async def test_unknown_step_returns_404(home: Home) -> None:
    for name in ("", "wishes", "places#", "PLACES", "%2e%2e"):
        assert (await send(home.admin, skip_path(name))).status_code == 404
    assert "Hidden" not in (await look(home.admin, "/?left=wishes")).words
    assert open_steps(await look(home.admin, "/")) == TITLES.keys()


async def test_repeated_skip_and_restore_send_one_change_each(home: Home) -> None:
    db = home.running.db
    for _ in range(2):
        await skip_step(db, skipped_step(home.family_id, "list"))
    for _ in range(2):
        await restore_step(db, SettledStep.key(family_id=home.family_id, name="list"))
    changes = await changes_since(db, home.family_id, None)
    heard = [(each.id, each.version) for each in changes if each.type == "HomeStep"]
    assert heard == [("list", 1), ("list", None)]


async def test_concurrent_settlements_store_each_step_once(home: Home) -> None:
    db, family_id = home.running.db, home.family_id
    left: tuple[Name, ...] = ("places", "list", "people", "list")
    await complete_step(home, "places")
    await asyncio.gather(
        *(read_progress(db, family_id, 1) for _ in range(4)),
        *(skip_step(db, skipped_step(family_id, name)) for name in left),
    )
    settled = {each.name: each.state for each in await db.all(settled_steps(family_id))}
    assert settled.keys() == {"places", "list", "people"}
    assert settled["list"] == settled["people"] == "left_out"


async def test_progress_of_settled_steps_costs_one_query(home: Home) -> None:
    for name in BY_NAME:
        await send(home.admin, skip_path(name))
    with count_operations(home.running.db) as spent:
        await read_progress(home.running.db, home.family_id, 1)
    assert spent == {"query": 1}


async def test_settled_steps_are_deleted_with_family(running: RunningApp) -> None:
    home = await new_home(running, "Lovelace", "ada")
    await send(home.admin, skip_path("list"))
    answer = await home.admin.delete("/me", {"password": home.admin.password})
    assert answer.status_code == 204, answer.text
    assert await running.db.all(settled_steps(home.family_id)) == []


def skipped_step(family_id: str, name: Name) -> SettledStep:
    return SettledStep(family_id=family_id, name=name, state="left_out")
