"""Test the usual things: learned from ticks, ranked, and forgotten on request."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from homeshelf import clock
from homeshelf.pictures import picture_of
from homeshelf.shopping import shelf_order
from homeshelf.shopping.habits import MAX_QUEUED_TICKS, HabitLearner
from homeshelf.shopping.model import Purchase, ShoppingListItem, digest_name, purchase_of
from homeshelf.shopping.purchases import (
    MAX_PURCHASES,
    estimate_likelihood,
    purchases_of,
    rank_things,
)
from homeshelf.table import Unavailable
from tests.api_client import (
    Shown,
    add_entry,
    add_item,
    add_place,
    add_purchased_entry,
    entry_path,
    mark_entry,
    set_archived,
    wait_until,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home, new_home
from tests.moment import Moment
from tests.pages import send
from tests.records import make_record
from tests.running import Person, RunningApp, problem_of, running_app

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NO_USUAL = "0" * 32


async def get_usual(person: Person, question: str = "") -> list[Shown]:
    answer = await person.get(f"/shopping-list/usual{question}")
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"items"}
    found: list[Shown] = answer.json()["items"]
    return found


async def usual_names(person: Person, question: str = "") -> list[str]:
    return [it["name"] for it in await get_usual(person, question)]


async def test_strangers_cannot_access_usual_things_and_children_cannot_delete_them(
    running: RunningApp, home: Home, kid: Person
) -> None:
    await add_purchased_entry(home.admin, name="Cake")
    (cake,) = await get_usual(home.admin)
    path = f"/shopping-list/usual/{cake['usualId']}"
    nobody, eve = running.visitor(), (await new_home(running, "Others", "eve")).admin
    assert problem_of(await nobody.get("/shopping-list/usual")) == (401, "unauthenticated")
    assert problem_of(await nobody.delete(path)) == (401, "unauthenticated")
    assert await get_usual(eve) == []
    assert problem_of(await eve.delete(path)) == (404, "not_found")
    assert problem_of(await kid.delete(path)) == (403, "forbidden")
    assert await get_usual(kid) == [cake]


async def test_ticked_entry_is_stored_as_purchase(home: Home, market: Shown, milk: Shown) -> None:
    entry = await add_purchased_entry(home.admin, itemId=milk["itemId"], quantity=2)
    (found,) = await get_usual(home.admin)
    assert found == {
        "usualId": digest_name(home.family_id, "Milk"),
        "name": "Milk",
        "itemId": milk["itemId"],
        "storeId": market["storeId"],
        "picture": picture_of("Milk"),
        "timesBought": 1,
        "lastBoughtAt": entry["updatedAt"],
    }


async def test_usual_thing_has_chosen_or_default_picture(home: Home) -> None:
    chosen = await add_item(home.admin, name="Milk", picture="🐄")
    await add_purchased_entry(home.admin, itemId=chosen["itemId"])
    await add_purchased_entry(home.admin, name="Bread")
    await add_purchased_entry(home.admin, name="Qqq")
    found = {it["name"]: it["picture"] for it in await get_usual(home.admin)}
    assert found == {"Milk": "🐄", "Bread": picture_of("Bread"), "Qqq": ""}
    assert picture_of("Bread")


async def test_tick_form_stores_and_deletes_purchase(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    path = f"/list/{entry['shoppingItemId']}/tick"
    assert (await send(home.admin, path, version=1, status="purchased")).status_code == 303
    assert await usual_names(home.admin) == ["Cake"]
    assert (await send(home.admin, path, version=2, status="pending")).status_code == 303
    await home.admin.delete(entry_path(entry))
    assert await usual_names(home.admin) == []


async def test_usual_things_are_merged_by_name_and_count_entries_once(home: Home) -> None:
    for name in ("Crème", "creme "):
        await add_purchased_entry(home.admin, name=name)
    last = await add_purchased_entry(home.admin, name="CREME")
    again = await mark_entry(home.admin, await mark_entry(home.admin, last, "pending"), "purchased")
    (found,) = await get_usual(home.admin)
    assert (found["name"], found["timesBought"]) == ("CREME", 3)
    assert found["lastBoughtAt"] == again["updatedAt"]


async def test_unticked_entry_deletes_its_purchase(home: Home) -> None:
    done = await add_purchased_entry(home.admin, name="Cake")
    back = await mark_entry(home.admin, done, "pending")
    await home.admin.delete(entry_path(back))
    assert await get_usual(home.admin) == []


async def test_tick_without_change_stores_no_purchase(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    done = await mark_entry(home.admin, entry, "purchased")
    assert await usual_names(home.admin) == ["Cake"]
    (cake,) = await get_usual(home.admin)
    await home.admin.delete(f"/shopping-list/usual/{cake['usualId']}")
    await mark_entry(home.admin, done, "purchased")
    path = f"/list/{entry['shoppingItemId']}/tick"
    assert (await send(home.admin, path, version=2, status="purchased")).status_code == 303
    assert await get_usual(home.admin) == []


async def test_pending_entry_is_no_usual_thing(home: Home, milk: Shown) -> None:
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    await add_purchased_entry(home.admin, name="Bread")
    await add_purchased_entry(home.admin, name="Tea")
    await add_entry(home.admin, name="BREAD")
    await add_entry(home.admin, itemId=milk["itemId"], name="Something else")
    assert await usual_names(home.admin) == ["Tea"]


async def test_usual_things_are_filtered_by_store(home: Home, market: Shown) -> None:
    empty = await add_place(home.admin, "stores", "Bakery")
    await add_purchased_entry(home.admin, name="Milk", storeId=market["storeId"])
    await add_purchased_entry(home.admin, name="Glue")
    assert await usual_names(home.admin, f"?storeId={market['storeId']}") == ["Milk"]
    assert await usual_names(home.admin, "?storeId=unassigned") == ["Glue"]
    assert await usual_names(home.admin, f"?storeId={empty['storeId']}") == []
    answer = await home.admin.get(f"/shopping-list/usual?storeId={NOBODYS}")
    assert problem_of(answer) == (404, "not_found")
    for wrong in ("storeId=x", "limit=0", "limit=101"):
        answer = await home.admin.get(f"/shopping-list/usual?{wrong}")
        assert problem_of(answer) == (400, "validation")


async def test_usual_things_are_limited(home: Home) -> None:
    for name in ("Milk", "Bread", "Tea"):
        await add_purchased_entry(home.admin, name=name)
    assert len(await get_usual(home.admin, "?limit=2")) == 2


async def test_forgotten_usual_thing_is_counted_from_zero(home: Home) -> None:
    for _ in range(3):
        await add_purchased_entry(home.admin, name="Cake")
    await add_purchased_entry(home.admin, name="Tea")
    cake = digest_name(home.family_id, "cake")
    assert (await home.admin.delete(f"/shopping-list/usual/{cake}")).status_code == 204
    assert await usual_names(home.admin) == ["Tea"]
    for path in (cake, NO_USUAL, "x"):
        answer = await home.admin.delete(f"/shopping-list/usual/{path}")
        assert problem_of(answer) == (404, "not_found"), path
    await add_purchased_entry(home.admin, name="Cake")
    found = {it["name"]: it["timesBought"] for it in await get_usual(home.admin)}
    assert found == {"Cake": 1, "Tea": 1}


async def test_usual_thing_has_current_name_of_item(home: Home, milk: Shown) -> None:
    rice = await add_item(home.admin, name="Rice")
    tea = await add_item(home.admin, name="Tea")
    for item in (milk, rice, tea):
        await add_purchased_entry(home.admin, itemId=item["itemId"])
    renamed = {"name": "Oat milk", "version": milk["version"]}
    assert (await home.admin.patch(f"/items/{milk['itemId']}", renamed)).status_code == 200
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    await set_archived(home.admin, rice, "archive")
    assert (await home.admin.delete(f"/items/{tea['itemId']}")).status_code == 204
    found = sorted((it["name"], it["itemId"]) for it in await get_usual(home.admin))
    assert found == [("Oat milk", milk["itemId"]), ("Tea", None)]


async def test_purchase_expires_after_one_year(home: Home, moment: Moment) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")
    await home.running.services.of(HabitLearner).flush()
    (kept,) = await home.running.db.all(purchases_of(home.family_id))
    year = datetime.fromisoformat(entry["updatedAt"]) + timedelta(days=365)
    assert kept.ttl == int(year.timestamp())
    moment.move((year + timedelta(seconds=1)).isoformat())
    assert await home.running.db.all(purchases_of(home.family_id)) == []


async def test_tick_costs_one_transaction(home: Home) -> None:
    entry = await add_entry(home.admin, name="Cake")
    with count_operations(home.running.db) as spent:
        await mark_entry(home.admin, entry, "purchased")
    assert spent["transact"] == 1
    assert (spent["put"], spent["batch"], spent["query"], spent["delete"]) == (0, 0, 0, 0)


async def test_tick_is_stored_after_response(home: Home) -> None:
    entry = await add_purchased_entry(home.admin, name="Cake")

    async def is_learned() -> bool:
        found = await home.running.db.all(purchases_of(home.family_id))
        return [it.shopping_item_id for it in found] == [entry["shoppingItemId"]]

    await wait_until(is_learned, 5)


async def test_queued_ticks_are_stored_at_shutdown(home: Home) -> None:
    db = home.running.db
    async with running_app(db) as other:
        other.services.of(HabitLearner).record_tick(entry_named(home, "Cake", "a"))
    assert len(await db.all(purchases_of(home.family_id))) == 1


async def test_two_hundred_ticks_are_stored_in_few_writes(home: Home) -> None:
    db = home.running.db
    habits = HabitLearner(db)
    for number in range(200):
        habits.record_tick(entry_named(home, f"Thing {number}", str(number)))
    with count_operations(db) as spent:
        await habits.flush()
    assert len(await db.all(purchases_of(home.family_id))) == 200
    assert spent["query"] == 1
    assert spent["batch"] <= 200 / 25
    assert spent["transact"] <= 200 / 100
    assert spent.keys() <= {"query", "batch", "transact"}


async def test_tick_queue_is_bounded(home: Home) -> None:
    habits = HabitLearner(home.running.db)
    for number in range(MAX_QUEUED_TICKS + 10):
        habits.record_tick(entry_named(home, "Cake", str(number)))
    assert len(habits._queue) == MAX_QUEUED_TICKS  # the queue has no public length


async def test_failed_tick_write_is_retried(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    db, habits = home.running.db, HabitLearner(home.running.db)
    habits.record_tick(entry_named(home, "Cake", "a"))
    with monkeypatch.context() as patch:
        patch.setattr(db, "batch", refuse)
        await habits.flush()
    habits.record_tick(entry_named(home, "Tea", "b"))
    await habits.flush()
    assert {it.name for it in await db.all(purchases_of(home.family_id))} == {"Cake", "Tea"}


async def test_retried_ticks_keep_order_and_yield_to_newer_ones(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, habits = home.running.db, HabitLearner(home.running.db)
    cake = entry_named(home, "Cake", "a")

    async def refuse_while_somebody_ticks(_writes: object) -> None:
        habits.record_tick(cake.changed(status="pending"))
        habits.record_tick(entry_named(home, "Tea", "c"))
        raise Unavailable("out of reach")

    habits.record_tick(cake)
    habits.record_tick(entry_named(home, "Jam", "b"))
    with monkeypatch.context() as patch:
        patch.setattr(db, "batch", refuse_while_somebody_ticks)
        await habits.flush()
    await habits.flush()
    assert {it.name for it in await db.all(purchases_of(home.family_id))} == {"Jam", "Tea"}
    assert await shelf_order.names_in_order(db, home.family_id, None) == ["Jam", "Tea"]


async def test_entry_ticked_again_moves_to_its_last_tick(home: Home) -> None:
    db, habits = home.running.db, HabitLearner(home.running.db)
    cake, tea = entry_named(home, "Cake", "a"), entry_named(home, "Tea", "b")
    for entry in (cake, tea, cake.changed(status="pending"), cake):
        habits.record_tick(entry)
    await habits.flush()
    assert await shelf_order.names_in_order(db, home.family_id, None) == ["Tea", "Cake"]


async def refuse(_writes: object) -> None:
    raise Unavailable("out of reach")


async def test_concurrent_ticks_are_all_stored(home: Home) -> None:
    entries = [await add_entry(home.admin, name=f"Thing {number % 5}") for number in range(20)]
    other = await home.with_member("bob", "admin")
    people = (home.admin, other)
    await asyncio.gather(
        *(mark_entry(people[n % 2], it, "purchased") for n, it in enumerate(entries))
    )
    found = {it["name"]: it["timesBought"] for it in await get_usual(home.admin)}
    assert found == {f"Thing {number}": 4 for number in range(5)}


async def test_records_are_deleted_with_family(running: RunningApp) -> None:
    alone = await new_home(running, "Alone", "zoe")
    await add_purchased_entry(alone.admin, name="Cake")
    assert await usual_names(alone.admin) == ["Cake"]
    await alone.admin.put("/shopping-list/order?storeId=unassigned", {"names": ["Cake"]})
    gone = await alone.admin.delete("/me", {"password": alone.admin.password})
    assert gone.status_code == 204
    assert await running.db.all(purchases_of(alone.family_id)) == []
    assert await running.db.all(shelf_order.positions_of_family(alone.family_id)) == []


async def test_usual_things_cost_few_queries(home: Home, milk: Shown) -> None:
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    await usual_names(home.admin)
    with count_operations(home.running.db) as spent:
        await usual_names(home.admin)
    purchases_entries_and_notices, items = 3, 1
    assert spent["query"] == purchases_entries_and_notices
    assert spent["get_many"] == 1 + items


def entry_named(home: Home, name: str, entry_id: str) -> ShoppingListItem:
    at = clock.timestamp()
    return make_record(
        ShoppingListItem,
        family_id=home.family_id,
        shopping_item_id=entry_id,
        name=name,
        status="purchased",
        created_at=at,
        updated_at=at,
    )


def dates_before_now(*days: float) -> list[datetime]:
    return [NOW - timedelta(days=each) for each in days]


def test_due_thing_ranks_before_recent_purchase() -> None:
    assert estimate_likelihood(dates_before_now(21, 14, 7), NOW) > estimate_likelihood(
        dates_before_now(15, 8, 1), NOW
    )


def test_frequent_purchase_ranks_first() -> None:
    assert estimate_likelihood(dates_before_now(28, 21, 14, 7), NOW) > estimate_likelihood(
        dates_before_now(14, 7), NOW
    )
    assert estimate_likelihood(dates_before_now(14, 7), NOW) > estimate_likelihood(
        dates_before_now(7), NOW
    )


def test_weekly_purchase_is_likelier_than_monthly_after_a_week() -> None:
    weekly, monthly = dates_before_now(21, 14, 7), dates_before_now(67, 37, 7)
    assert estimate_likelihood(weekly, NOW) > estimate_likelihood(monthly, NOW)


def test_low_item_ranks_first() -> None:
    assert estimate_likelihood(dates_before_now(14, 7), NOW, low=True) > estimate_likelihood(
        dates_before_now(28, 21, 14, 7), NOW
    )


def test_abandoned_thing_ranks_last() -> None:
    assert estimate_likelihood(dates_before_now(14, 7), NOW) > estimate_likelihood(
        dates_before_now(214, 207, 200), NOW
    )
    assert estimate_likelihood(dates_before_now(28, 21), NOW) > estimate_likelihood(
        dates_before_now(31, 24), NOW
    )


def test_two_purchases_on_one_day_count_as_one() -> None:
    assert estimate_likelihood(dates_before_now(7.1, 7), NOW) == estimate_likelihood(
        dates_before_now(7), NOW
    )


def test_recent_purchases_are_ranked_by_frequency() -> None:
    assert estimate_likelihood(dates_before_now(14, 7, 0), NOW) > estimate_likelihood(
        dates_before_now(0), NOW
    )


def test_ranked_things_have_their_latest_name() -> None:
    def make_purchase(name: str, days: float, number: int) -> Purchase:
        at = (NOW - timedelta(days=days)).isoformat()
        known = {"family_id": "f", "shopping_item_id": str(number), "created_at": at}
        return purchase_of(
            make_record(ShoppingListItem, name=name, updated_at=at, item_id=name, **known)
        )

    purchases = [
        make_purchase("tea", 30, 1),
        make_purchase("Milk", 8, 2),
        make_purchase("milk", 1, 3),
    ]
    purchases += [make_purchase("Tea", 60, 4), make_purchase("Jam", 2, 5)]
    assert [it.name for it in rank_things(purchases, (), NOW)] == ["tea", "milk", "Jam"]
    assert [it.name for it in rank_things(purchases, {"Jam"}, NOW)] == [
        "tea",
        "Jam",
        "milk",
    ]


def test_purchases_read_are_limited_to_one_thousand() -> None:
    assert MAX_PURCHASES == 1000
