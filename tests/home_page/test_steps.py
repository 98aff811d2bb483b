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


def leaving(name: str) -> str:
    return f"/steps/{name}/leave-out"


def ticked(page: Page) -> set[str]:
    """The steps that are shown as done."""
    return {name for name, title in TITLES.items() if f"{title} Done" in page.words}


def open_steps(page: Page) -> set[str]:
    return {name for name in TITLES if page.has_form(leaving(name))}


async def take(home: Home, name: str) -> None:
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


async def test_a_new_home_is_told_what_to_do_next(home: Home) -> None:
    page = await look(home.admin, "/")
    assert page.in_order("Hello ada", "What to do next", *TITLES.values(), "At home")
    assert set(PATHS.values()) <= set(page.links)
    assert open_steps(page) == TITLES.keys()
    assert ticked(page) == set()
    assert "Running low" not in page.words


@pytest.mark.parametrize("name", TITLES)
async def test_each_ticks_itself_and_no_other(home: Home, name: str) -> None:
    await take(home, name)
    page = await look(home.admin, "/")
    assert ticked(page) == {name}
    assert open_steps(page) == TITLES.keys() - {name}


@pytest.mark.parametrize("name", TITLES)
async def test_each_is_left_out_by_itself_and_brought_back(home: Home, name: str) -> None:
    page = await look(home.admin, "/")
    assert led_to(await page.send(leaving(name))) == f"/?left={name}"
    page = await look(home.admin, f"/?left={name}")
    assert page.in_order("Hidden for everyone at home.", "What to do next")
    assert TITLES[name] not in page.words
    assert open_steps(page) == TITLES.keys() - {name}
    assert led_to(await page.send(f"/steps/{name}/bring-back")) == "/"
    page = await look(home.admin, f"/?left={name}")
    assert "Hidden" not in page.words
    assert open_steps(page) == TITLES.keys()


async def test_they_go_once_all_are_settled_and_stay_away(home: Home) -> None:
    for number, name in enumerate(TITLES, 1):
        assert len(ticked(await look(home.admin, "/"))) == number - 1
        await take(home, name)
    page = await look(home.admin, "/")
    assert "What to do next" not in page.words
    assert "You have enough of everything" in page.words
    db = home.running.db
    for item in await db.all(all_items(home.family_id)):
        await db.write(item.delete())
    assert "What to do next" not in (await look(home.admin, "/")).words


async def test_what_was_done_stays_done(home: Home) -> None:
    place = await add_place(home.admin, "locations", "Pantry")
    assert ticked(await look(home.admin, "/")) == {"places"}
    answer = await home.admin.delete(f"/locations/{place['locationId']}")
    assert answer.status_code == 204
    assert ticked(await look(home.admin, "/")) == {"places"}


async def test_the_last_one_that_is_left_out_can_be_brought_back(home: Home) -> None:
    for name in TITLES:
        await send(home.admin, leaving(name))
    assert "Hidden" not in (await look(home.admin, "/")).words
    page = await look(home.admin, "/?left=people")
    assert "What to do next" not in page.words
    await page.send("/steps/people/bring-back")
    assert open_steps(await look(home.admin, "/")) == {"people"}


async def test_ten_things_are_counted_up_to(home: Home) -> None:
    for number in range(9):
        await add_item(home.admin, name=f"Thing {number}")
    page = await look(home.admin, "/")
    assert "9 of 10 so far" in page.words
    assert ticked(page) == set()
    await add_item(home.admin, name="The tenth")
    assert ticked(await look(home.admin, "/")) == {"things"}


async def test_what_was_bought_and_is_gone_from_the_list_counts(home: Home) -> None:
    milk = await add_purchased_entry(home.admin, name="Milk")
    await home.running.services.of(HabitLearner).flush()
    assert (await home.admin.delete(entry_path(milk))).status_code == 204
    assert ticked(await look(home.admin, "/")) == {"list"}


async def test_what_is_done_is_not_left_out_and_not_brought_back(home: Home) -> None:
    place = await add_place(home.admin, "locations", "Pantry")
    await look(home.admin, "/")
    await home.admin.delete(f"/locations/{place['locationId']}")
    for path in (leaving("places"), "/steps/places/bring-back"):
        assert led_to(await send(home.admin, path)).startswith("/")
        assert ticked(await look(home.admin, "/")) == {"places"}
    assert "Hidden" not in (await look(home.admin, "/?left=places")).words


async def test_it_goes_for_the_whole_household(home: Home) -> None:
    other = await home.with_member("ben", "admin")
    await send(home.admin, leaving("places"))
    assert open_steps(await look(other, "/")) == {"things", "list"}
    assert "Hidden" not in (await look(other, "/")).words


async def test_children_see_no_steps_and_take_none(home: Home, kid: Person) -> None:
    page = await look(kid, "/")
    assert "What to do next" not in page.words
    for name, title in TITLES.items():
        assert title not in page.words
        for path in (leaving(name), f"/steps/{name}/bring-back"):
            assert (await send(kid, path)).status_code == 403
    assert open_steps(await look(home.admin, "/")) == TITLES.keys() - {"people"}


async def test_strangers_leave_nothing_out(
    home: Home, neighbour: Person, gone: Person, running: RunningApp
) -> None:
    await send(neighbour, leaving("places"))
    assert open_steps(await look(neighbour, "/")) == TITLES.keys() - {"places"}
    assert (await send(gone, leaving("places"))).status_code in (303, 403, 404, 409)
    visitor = await send(running.visitor(), leaving("places"))
    assert "/sign-in" in visitor.headers.get("location", "")
    assert await sent_from_elsewhere(home.admin, leaving("places")) == 403
    assert "places" in open_steps(await look(home.admin, "/"))


async def test_no_other_step_can_be_named(home: Home) -> None:
    for name in ("", "wishes", "places#", "PLACES", "%2e%2e"):
        assert (await send(home.admin, leaving(name))).status_code == 404
    assert "Hidden" not in (await look(home.admin, "/?left=wishes")).words
    assert open_steps(await look(home.admin, "/")) == TITLES.keys()


async def test_who_listens_hears_of_it_once(home: Home) -> None:
    db = home.running.db
    for _ in range(2):
        await skip_step(db, left_out(home.family_id, "list"))
    for _ in range(2):
        await restore_step(db, SettledStep.key(family_id=home.family_id, name="list"))
    changes = await changes_since(db, home.family_id, None)
    heard = [(each.id, each.version) for each in changes if each.type == "HomeStep"]
    assert heard == [("list", 1), ("list", None)]


async def test_all_at_once_settle_each_once(home: Home) -> None:
    db, family_id = home.running.db, home.family_id
    left: tuple[Name, ...] = ("places", "list", "people", "list")
    await take(home, "places")
    await asyncio.gather(
        *(read_progress(db, family_id, 1) for _ in range(4)),
        *(skip_step(db, left_out(family_id, name)) for name in left),
    )
    settled = {each.name: each.state for each in await db.all(settled_steps(family_id))}
    assert settled.keys() == {"places", "list", "people"}
    assert settled["list"] == settled["people"] == "left_out"


async def test_a_house_that_works_is_asked_nothing_else(home: Home) -> None:
    for name in BY_NAME:
        await send(home.admin, leaving(name))
    with count_operations(home.running.db) as spent:
        await read_progress(home.running.db, home.family_id, 1)
    assert spent == {"query": 1}


async def test_they_go_with_the_family(running: RunningApp) -> None:
    home = await new_home(running, "Lovelace", "ada")
    await send(home.admin, leaving("list"))
    answer = await home.admin.delete("/me", {"password": home.admin.password})
    assert answer.status_code == 204, answer.text
    assert await running.db.all(settled_steps(home.family_id)) == []


def left_out(family_id: str, name: Name) -> SettledStep:
    return SettledStep(family_id=family_id, name=name, state="left_out")
