"""Test the order of names in a store: by ticks, by hand, and new names beside similar ones."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.coordination.changes import changes_since
from homeshelf.shopping.habits import HabitLearner
from homeshelf.shopping.model import ShoppingListItem, StorePlace
from homeshelf.shopping.order_rules import (
    POSITION_GAP,
    insert_new_names,
    move_ticked_names,
    sort_entries,
    sort_positions,
)
from homeshelf.shopping.shelf_order import positions_of_store
from tests.api_client import (
    Shown,
    add_entry,
    add_place,
    add_purchased_entry,
    get_list_now,
    mark_entry,
)
from tests.costs import count_operations
from tests.home import NOBODYS, Home, new_home
from tests.moment import DAY, HOUR, Moment
from tests.pages import look, send
from tests.records import make_record
from tests.running import Person, RunningApp, problem_of

ORDER = "/shopping-list/order?storeId="
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


async def get_order(person: Person, store_id: str = "unassigned") -> list[str]:
    answer = await person.get(f"{ORDER}{store_id}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["storeId"] == store_id
    names: list[str] = answer.json()["names"]
    return names


async def set_order(person: Person, names: list[str], store_id: str = "unassigned") -> list[str]:
    answer = await person.put(f"{ORDER}{store_id}", {"names": names})
    assert answer.status_code == 200, answer.text
    assert answer.json()["storeId"] == store_id
    found: list[str] = answer.json()["names"]
    return found


async def test_strangers_cannot_access_order_and_children_cannot_set_it(
    running: RunningApp, home: Home, kid: Person
) -> None:
    await set_order(home.admin, ["Cake"])
    nobody, eve = running.visitor(), (await new_home(running, "Others", "eve")).admin
    body = {"names": ["Mine"]}
    for path in (f"{ORDER}unassigned", f"{ORDER}{NOBODYS}", "/shopping-list/order"):
        assert problem_of(await nobody.get(path)) == (401, "unauthenticated")
        assert problem_of(await nobody.put(path, body)) == (401, "unauthenticated")
    assert problem_of(await kid.put(f"{ORDER}unassigned", body)) == (403, "forbidden")
    assert await get_order(kid) == ["Cake"]
    assert await get_order(eve) == []
    await set_order(eve, ["Mine"])
    assert await get_order(home.admin) == ["Cake"]


async def test_store_of_another_family_has_no_order(
    running: RunningApp, home: Home, market: Shown
) -> None:
    eve = (await new_home(running, "Others", "eve")).admin
    for store_id in (market["storeId"], NOBODYS):
        path = f"{ORDER}{store_id}"
        assert problem_of(await eve.get(path)) == (404, "not_found")
        assert problem_of(await eve.put(path, {"names": []})) == (404, "not_found")
    assert await get_order(home.admin, market["storeId"]) == []


async def test_invalid_request_names_each_wrong_field(home: Home) -> None:
    for path in ("/shopping-list/order", f"{ORDER}x", ORDER):
        assert problem_of(await home.admin.get(path)) == (400, "validation")
    path = f"{ORDER}unassigned"
    wrong: list[object] = [["x"] * 501, ["x" * 101], [""], ["Milk", 1], "Milk", None]
    for names in wrong:
        answer = await home.admin.put(path, {"names": names})
        assert problem_of(answer) == (400, "validation"), names
    assert problem_of(await home.admin.put(path, {})) == (400, "validation")
    assert await get_order(home.admin) == []


async def test_order_accepts_five_hundred_names(home: Home) -> None:
    names = [f"Thing {number}" for number in range(500)]
    assert await set_order(home.admin, names) == names
    assert await get_order(home.admin) == names


async def test_order_set_by_hand_is_returned(home: Home, market: Shown) -> None:
    at = market["storeId"]
    for names in (["Milk", "Bread", "Tea"], ["Tea", "Milk"], [], ["Jam"]):
        assert await set_order(home.admin, names, at) == names
        assert await get_order(home.admin, at) == names
    assert await get_order(home.admin) == []


async def test_order_drops_duplicate_names(home: Home) -> None:
    assert await set_order(home.admin, ["Crème", "Tea", "creme ", "TEA"]) == ["Crème", "Tea"]
    assert await get_order(home.admin) == ["Crème", "Tea"]


async def test_order_follows_ticks(home: Home, market: Shown) -> None:
    at = market["storeId"]
    entries = {
        name: await add_entry(home.admin, name=name, storeId=at)
        for name in ("Milk", "Bread", "Tea")
    }
    for name in ("Tea", "Milk", "Bread"):
        entries[name] = await mark_entry(home.admin, entries[name], "purchased")
    assert await get_order(home.admin, at) == ["Tea", "Milk", "Bread"]
    assert await get_order(home.admin) == []
    entries = {name: await mark_entry(home.admin, it, "pending") for name, it in entries.items()}
    assert await get_order(home.admin, at) == ["Tea", "Milk", "Bread"]
    page = await look(home.admin, "/list")
    assert page.in_order("Market", "Tea", "Milk", "Bread")
    for name in ("Bread", "Tea", "Milk"):
        await mark_entry(home.admin, entries[name], "purchased")
    assert await get_order(home.admin, at) == ["Bread", "Tea", "Milk"]


@pytest.mark.usefixtures("moment")
async def test_ticks_with_the_same_time_keep_their_order(home: Home) -> None:
    names = ["Tea", "Milk", "Bread", "Salt", "Jam", "Rice"]
    entries = {name: await add_entry(home.admin, name=name) for name in sorted(names)}
    for name in names:
        await mark_entry(home.admin, entries[name], "purchased")
        assert (await get_order(home.admin))[-1] == name
    assert await get_order(home.admin) == names


async def test_short_trip_keeps_order_of_other_names(home: Home, moment: Moment) -> None:
    for name in ("Milk", "Bread", "Tea", "Jam"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    assert await get_order(home.admin) == ["Milk", "Bread", "Tea", "Jam"]
    moment.pass_by(DAY)
    sign_in_again(home)
    for name in ("Bread", "Jam"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    assert await get_order(home.admin) == ["Milk", "Bread", "Tea", "Jam"]


def sign_in_again(home: Home) -> None:
    """Replace the access token, which expires within a day."""
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))


async def test_dragged_name_keeps_its_position(home: Home, moment: Moment) -> None:
    for name in ("Milk", "Bread", "Tea"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    await set_order(home.admin, ["Tea", "Milk", "Bread"])
    moment.pass_by(4 * HOUR)
    sign_in_again(home)
    for name in ("Tea", "Milk"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    assert await get_order(home.admin) == ["Tea", "Milk", "Bread"]


async def test_tick_after_drag_follows_last_ticked_name(home: Home) -> None:
    for name in ("Milk", "Bread", "Tea"):
        await add_purchased_entry(home.admin, name=name)
    await set_order(home.admin, ["Tea", "Milk", "Bread"])
    await add_purchased_entry(home.admin, name="Jam")
    assert await get_order(home.admin) == ["Tea", "Jam", "Milk", "Bread"]


async def test_list_page_and_snapshot_have_the_same_order(
    home: Home, market: Shown, moment: Moment
) -> None:
    at = market["storeId"]
    await set_order(home.admin, ["Tea", "Milk", "Bread"], at)
    for name in ("Bread", "Oat milk", "Salt", "Tea"):
        await add_entry(home.admin, name=name, storeId=at)
    for name in ("Glue", "Tape"):
        await add_entry(home.admin, name=name)
        moment.pass_by(1)
    page = await look(home.admin, "/list")
    assert page.in_order("Market", "Tea", "Oat milk", "Bread", "Salt", "Any shop", "Glue", "Tape")
    stores = {it["name"]: it["order"] for it in (await get_list_now(home.admin))["stores"]}
    assert stores == {
        "Market": ["Tea", "Milk", "Oat milk", "Bread", "Salt"],
        None: ["Glue", "Tape"],
    }


async def test_list_snapshot_omits_recently_bought_usual_things(
    home: Home, moment: Moment, milk: Shown
) -> None:
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    await add_purchased_entry(home.admin, name="Tea")
    await home.running.services.of(HabitLearner).flush()
    moment.pass_by(600)
    assert (await get_list_now(home.admin))["usual"] == []
    moment.pass_by(13 * HOUR)
    sign_in_again(home)
    await add_purchased_entry(home.admin, name="Jam")
    answer = await home.admin.get("/shopping-list/usual")
    expected = [it for it in answer.json()["items"] if it["name"] != "Jam"]
    assert [it["name"] for it in expected] == ["Milk", "Tea"]
    assert (await get_list_now(home.admin))["usual"] == expected


async def test_position_key_contains_digest_of_name(home: Home) -> None:
    await add_purchased_entry(home.admin, name="Secret present")
    await home.running.services.of(HabitLearner).flush()
    (place,) = await home.running.db.all(positions_of_store(home.family_id, None))
    assert "ecret" not in str(place.own_key())
    assert place.own_key().sort == f"STORE#UNASSIGNED#NAME#{place.name_digest}"
    assert len(place.name_digest) == 32


async def test_concurrent_ticks_and_drags_leave_one_position_per_name(home: Home) -> None:
    names = [f"Thing {number}" for number in range(10)]
    entries = [await add_entry(home.admin, name=name) for name in names]
    other = await home.with_member("bob", "admin")
    await asyncio.gather(
        *(mark_entry(home.admin, entry, "purchased") for entry in entries[:5]),
        *(set_order(other, names[::step]) for step in (-1, 1, -1)),
        *(mark_entry(other, entry, "purchased") for entry in entries[5:]),
    )
    assert sorted(await get_order(home.admin)) == sorted(names)


async def test_drag_costs_one_query_and_two_transactions(home: Home) -> None:
    names = [f"Thing {number}" for number in range(20)]
    await set_order(home.admin, names)
    with count_operations(home.running.db) as spent:
        await set_order(home.admin, names[::-1])
    assert (spent["query"], spent["batch"], spent["transact"]) == (1, 0, 2)


def ticked_entry(name: str, minutes: float) -> ShoppingListItem:
    at = (BEGAN + timedelta(minutes=minutes)).isoformat()
    return make_record(ShoppingListItem, family_id="f", name=name, updated_at=at)


def positions_after(places: list[StorePlace], *ticks: ShoppingListItem) -> list[StorePlace]:
    changed = {it.name_digest: it for it in move_ticked_names(places, ticks)}
    return sort_positions(({it.name_digest: it for it in places} | changed).values())


def joined_names(places: list[StorePlace]) -> str:
    return " ".join(it.name for it in places)


def ticked_entries(names: str, hour: float = 0) -> list[ShoppingListItem]:
    return [ticked_entry(name, hour * 60 + number) for number, name in enumerate(names.split())]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "a b c", "a b c"),
        ("a b c", "c a b", "c a b"),
        ("a b c", "c b a", "c b a"),
        ("a b c d", "b d", "a b c d"),
        ("a b c d", "a", "a b c d"),
        ("a b c d", "d a", "b c d a"),
        ("a b c d", "c b", "a c b d"),
        ("a b c d", "b x d", "a b x c d"),
        ("a b c d", "x", "a b c d x"),
    ],
)
def test_next_trip_changes_the_order(before: str, after: str, expected: str) -> None:
    places = positions_after([], *ticked_entries(before))
    assert joined_names(places) == before
    assert joined_names(positions_after(places, *ticked_entries(after, hour=24))) == expected


def test_last_ticked_name_of_a_trip_comes_last() -> None:
    places = positions_after([], *ticked_entries("a b c"))
    assert joined_names(positions_after(places, ticked_entry("a", 5))) == "b c a"
    assert joined_names(positions_after(places, ticked_entry("a", 200))) == "a b c"


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=8))
def test_complete_trip_sets_the_order(trips: list[list[str]]) -> None:
    places: list[StorePlace] = []
    for number, names in enumerate(trips):
        places = positions_after(places, *ticked_entries(" ".join(names), hour=24 * number))
        assert joined_names(places) == " ".join(names)


def test_only_moved_positions_are_written() -> None:
    places = positions_after([], *ticked_entries("a b c d"))
    changed = move_ticked_names(places, ticked_entries("c b", hour=24))
    assert {it.name for it in changed} == {"b", "c"}


def test_positions_are_renumbered_without_gap() -> None:
    places = positions_after([], *ticked_entries("a b"))
    assert places[1].position - places[0].position == POSITION_GAP
    names = [f"x{number}" for number in range(30)]
    for number, name in enumerate(names):
        hour = 24 * (number + 1)
        places = positions_after(
            places, ticked_entry("a", hour * 60), ticked_entry(name, hour * 60 + 1)
        )
        assert len({it.position for it in places}) == len(places)
    assert joined_names(places) == " ".join(["a", *names[::-1], "b"])


@pytest.mark.parametrize(
    ("order_", "new", "expected"),
    [
        ("", "b,a", "b,a"),
        ("milk,tea", "", "milk,tea"),
        ("milk,tea", "jam", "milk,tea,jam"),
        ("milk,tea", "TEA", "milk,tea"),
        ("tea,milk", "green tea", "tea,green tea,milk"),
        ("milk,tea", "oat milk,soy milk", "milk,oat milk,soy milk,tea"),
        ("Milch,Tee", "Vollmilch", "Milch,Vollmilch,Tee"),
        ("Vollmilch,Tee", "Milch", "Vollmilch,Milch,Tee"),
        ("crème,tea", "whipped CREME", "crème,whipped CREME,tea"),
        ("milk chocolate,tea", "milk", "milk chocolate,milk,tea"),
        ("milk chocolate,oat milk,tea", "milk", "milk chocolate,oat milk,milk,tea"),
        (
            "red wine,milk,red onions",
            "red wine vinegar",
            "red wine,red wine vinegar,milk,red onions",
        ),
        ("ham,tea", "gingham", "ham,tea,gingham"),
        ("a b,tea", "c b", "a b,tea,c b"),
        ("milk,tea", "jam,jam", "milk,tea,jam"),
    ],
)
def test_new_names_are_inserted_beside_similar_ones(order_: str, new: str, expected: str) -> None:
    names = [[each for each in text.split(",") if each] for text in (order_, new, expected)]
    assert insert_new_names(names[0], names[1]) == names[2]


def test_entries_of_one_name_are_sorted_by_creation() -> None:
    came = [
        make_record(
            ShoppingListItem, name=name, shopping_item_id=str(number), created_at=str(number)
        )
        for number, name in enumerate(("Tea", "milk", "Milk", "tea"))
    ]
    found = sort_entries(["milk", "TEA"], reversed(came))
    assert [it.shopping_item_id for it in found] == ["1", "2", "0", "3"]


async def test_tick_by_form_changes_order(home: Home) -> None:
    for name in ("Milk", "Tea"):
        await add_entry(home.admin, name=name)
    entries = {it["name"]: it for it in (await home.admin.get("/shopping-list")).json()["items"]}
    for name in ("Tea", "Milk"):
        path = f"/list/{entries[name]['shoppingItemId']}/tick"
        await send(home.admin, path, version=1, status="purchased")
    assert await get_order(home.admin) == ["Tea", "Milk"]


async def test_each_store_has_its_own_order(home: Home, market: Shown) -> None:
    bakery = (await add_place(home.admin, "stores", "Bakery"))["storeId"]
    await add_purchased_entry(home.admin, name="Milk", storeId=market["storeId"])
    await add_purchased_entry(home.admin, name="Bread", storeId=bakery)
    await add_purchased_entry(home.admin, name="Milk", storeId=bakery)
    assert await get_order(home.admin, bakery) == ["Bread", "Milk"]
    assert await get_order(home.admin, market["storeId"]) == ["Milk"]


async def test_order_change_event_contains_no_names(home: Home, market: Shown) -> None:
    family_id, db = home.family["familyId"], home.running.db
    before = len(await changes_since(db, family_id, None))
    await set_order(home.admin, ["Cake"])
    await set_order(home.admin, ["Tea"], market["storeId"])
    told = (await changes_since(db, family_id, None))[before:]
    assert [(each.type, each.id, each.version) for each in told] == [
        ("StoreOrder", "unassigned", 1),
        ("StoreOrder", market["storeId"], 1),
    ]
