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


async def order(person: Person, store_id: str = "unassigned") -> list[str]:
    answer = await person.get(f"{ORDER}{store_id}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["storeId"] == store_id
    names: list[str] = answer.json()["names"]
    return names


async def put(person: Person, names: list[str], store_id: str = "unassigned") -> list[str]:
    answer = await person.put(f"{ORDER}{store_id}", {"names": names})
    assert answer.status_code == 200, answer.text
    assert answer.json()["storeId"] == store_id
    found: list[str] = answer.json()["names"]
    return found


async def test_strangers_and_children(running: RunningApp, home: Home, kid: Person) -> None:
    await put(home.admin, ["Cake"])
    nobody, eve = running.visitor(), (await new_home(running, "Others", "eve")).admin
    body = {"names": ["Mine"]}
    for path in (f"{ORDER}unassigned", f"{ORDER}{NOBODYS}", "/shopping-list/order"):
        assert problem_of(await nobody.get(path)) == (401, "unauthenticated")
        assert problem_of(await nobody.put(path, body)) == (401, "unauthenticated")
    assert problem_of(await kid.put(f"{ORDER}unassigned", body)) == (403, "forbidden")
    assert await order(kid) == ["Cake"]
    assert await order(eve) == []
    await put(eve, ["Mine"])
    assert await order(home.admin) == ["Cake"]


async def test_anothers_store_is_none(running: RunningApp, home: Home, market: Shown) -> None:
    eve = (await new_home(running, "Others", "eve")).admin
    for store_id in (market["storeId"], NOBODYS):
        path = f"{ORDER}{store_id}"
        assert problem_of(await eve.get(path)) == (404, "not_found")
        assert problem_of(await eve.put(path, {"names": []})) == (404, "not_found")
    assert await order(home.admin, market["storeId"]) == []


async def test_invalid_request_names_each_wrong_field(home: Home) -> None:
    for path in ("/shopping-list/order", f"{ORDER}x", ORDER):
        assert problem_of(await home.admin.get(path)) == (400, "validation")
    path = f"{ORDER}unassigned"
    wrong: list[object] = [["x"] * 501, ["x" * 101], [""], ["Milk", 1], "Milk", None]
    for names in wrong:
        answer = await home.admin.put(path, {"names": names})
        assert problem_of(answer) == (400, "validation"), names
    assert problem_of(await home.admin.put(path, {})) == (400, "validation")
    assert await order(home.admin) == []


async def test_five_hundred_names_fit(home: Home) -> None:
    names = [f"Thing {number}" for number in range(500)]
    assert await put(home.admin, names) == names
    assert await order(home.admin) == names


async def test_order_set_by_hand_is_returned(home: Home, market: Shown) -> None:
    at = market["storeId"]
    for names in (["Milk", "Bread", "Tea"], ["Tea", "Milk"], [], ["Jam"]):
        assert await put(home.admin, names, at) == names
        assert await order(home.admin, at) == names
    assert await order(home.admin) == []


async def test_a_name_stands_once(home: Home) -> None:
    assert await put(home.admin, ["Crème", "Tea", "creme ", "TEA"]) == ["Crème", "Tea"]
    assert await order(home.admin) == ["Crème", "Tea"]


async def test_order_follows_ticks(home: Home, market: Shown) -> None:
    at = market["storeId"]
    entries = {
        name: await add_entry(home.admin, name=name, storeId=at)
        for name in ("Milk", "Bread", "Tea")
    }
    for name in ("Tea", "Milk", "Bread"):
        entries[name] = await mark_entry(home.admin, entries[name], "purchased")
    assert await order(home.admin, at) == ["Tea", "Milk", "Bread"]
    assert await order(home.admin) == []
    entries = {name: await mark_entry(home.admin, it, "pending") for name, it in entries.items()}
    assert await order(home.admin, at) == ["Tea", "Milk", "Bread"]
    page = await look(home.admin, "/list")
    assert page.in_order("Market", "Tea", "Milk", "Bread")
    for name in ("Bread", "Tea", "Milk"):
        await mark_entry(home.admin, entries[name], "purchased")
    assert await order(home.admin, at) == ["Bread", "Tea", "Milk"]


@pytest.mark.usefixtures("moment")
async def test_what_a_phone_sends_in_one_moment_stands_in_that_order(home: Home) -> None:
    names = ["Tea", "Milk", "Bread", "Salt", "Jam", "Rice"]
    entries = {name: await add_entry(home.admin, name=name) for name in sorted(names)}
    for name in names:
        await mark_entry(home.admin, entries[name], "purchased")
        assert (await order(home.admin))[-1] == name
    assert await order(home.admin) == names


async def test_short_trip_keeps_order_of_other_names(home: Home, moment: Moment) -> None:
    for name in ("Milk", "Bread", "Tea", "Jam"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    assert await order(home.admin) == ["Milk", "Bread", "Tea", "Jam"]
    moment.pass_by(DAY)
    renew(home)
    for name in ("Bread", "Jam"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    assert await order(home.admin) == ["Milk", "Bread", "Tea", "Jam"]


def renew(home: Home) -> None:
    """Their token, which a day later is none any more."""
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))


async def test_dragged_name_keeps_its_position(home: Home, moment: Moment) -> None:
    for name in ("Milk", "Bread", "Tea"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    await put(home.admin, ["Tea", "Milk", "Bread"])
    moment.pass_by(4 * HOUR)
    renew(home)
    for name in ("Tea", "Milk"):
        await add_purchased_entry(home.admin, name=name)
        moment.pass_by(60)
    assert await order(home.admin) == ["Tea", "Milk", "Bread"]


async def test_who_drags_in_a_shop_and_goes_on_goes_on_from_there(home: Home) -> None:
    for name in ("Milk", "Bread", "Tea"):
        await add_purchased_entry(home.admin, name=name)
    await put(home.admin, ["Tea", "Milk", "Bread"])
    await add_purchased_entry(home.admin, name="Jam")
    assert await order(home.admin) == ["Tea", "Jam", "Milk", "Bread"]


async def test_the_page_and_the_phone_have_the_same_order(
    home: Home, market: Shown, moment: Moment
) -> None:
    at = market["storeId"]
    await put(home.admin, ["Tea", "Milk", "Bread"], at)
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


async def test_the_phone_has_the_usual_things_that_were_not_just_bought(
    home: Home, moment: Moment, milk: Shown
) -> None:
    await add_purchased_entry(home.admin, itemId=milk["itemId"])
    await add_purchased_entry(home.admin, name="Tea")
    await home.running.services.of(HabitLearner).flush()
    moment.pass_by(600)
    assert (await get_list_now(home.admin))["usual"] == []
    moment.pass_by(13 * HOUR)
    renew(home)
    await add_purchased_entry(home.admin, name="Jam")
    answer = await home.admin.get("/shopping-list/usual")
    expected = [it for it in answer.json()["items"] if it["name"] != "Jam"]
    assert [it["name"] for it in expected] == ["Milk", "Tea"]
    assert (await get_list_now(home.admin))["usual"] == expected


async def test_names_stand_in_keys_as_digests(home: Home) -> None:
    await add_purchased_entry(home.admin, name="Secret present")
    await home.running.services.of(HabitLearner).flush()
    (place,) = await home.running.db.all(positions_of_store(home.family_id, None))
    assert "ecret" not in str(place.own_key())
    assert place.own_key().sort == f"STORE#UNASSIGNED#NAME#{place.name_digest}"
    assert len(place.name_digest) == 32


async def test_those_who_tick_and_drag_at_once_leave_one_place_for_each(home: Home) -> None:
    names = [f"Thing {number}" for number in range(10)]
    entries = [await add_entry(home.admin, name=name) for name in names]
    other = await home.with_member("bob", "admin")
    await asyncio.gather(
        *(mark_entry(home.admin, entry, "purchased") for entry in entries[:5]),
        *(put(other, names[::step]) for step in (-1, 1, -1)),
        *(mark_entry(other, entry, "purchased") for entry in entries[5:]),
    )
    assert sorted(await order(home.admin)) == sorted(names)


async def test_a_drag_is_a_question_and_a_few_writes(home: Home) -> None:
    names = [f"Thing {number}" for number in range(20)]
    await put(home.admin, names)
    with count_operations(home.running.db) as spent:
        await put(home.admin, names[::-1])
    assert (spent["query"], spent["batch"], spent["transact"]) == (1, 0, 2)


def ticked(name: str, minutes: float) -> ShoppingListItem:
    at = (BEGAN + timedelta(minutes=minutes)).isoformat()
    return make_record(ShoppingListItem, family_id="f", name=name, updated_at=at)


def learned(places: list[StorePlace], *ticks: ShoppingListItem) -> list[StorePlace]:
    changed = {it.name_digest: it for it in move_ticked_names(places, ticks)}
    return sort_positions(({it.name_digest: it for it in places} | changed).values())


def named(places: list[StorePlace]) -> str:
    return " ".join(it.name for it in places)


def trip(names: str, hour: float = 0) -> list[ShoppingListItem]:
    return [ticked(name, hour * 60 + number) for number, name in enumerate(names.split())]


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
def test_what_the_next_trip_teaches(before: str, after: str, expected: str) -> None:
    places = learned([], *trip(before))
    assert named(places) == before
    assert named(learned(places, *trip(after, hour=24))) == expected


def test_in_one_trip_what_was_ticked_last_stands_last() -> None:
    places = learned([], *trip("a b c"))
    assert named(learned(places, ticked("a", 5))) == "b c a"
    assert named(learned(places, ticked("a", 200))) == "a b c"


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=8))
def test_a_whole_trip_is_the_order(trips: list[list[str]]) -> None:
    places: list[StorePlace] = []
    for number, names in enumerate(trips):
        places = learned(places, *trip(" ".join(names), hour=24 * number))
        assert named(places) == " ".join(names)


def test_only_moved_positions_are_written() -> None:
    places = learned([], *trip("a b c d"))
    changed = move_ticked_names(places, trip("c b", hour=24))
    assert {it.name for it in changed} == {"b", "c"}


def test_positions_are_renumbered_without_gap() -> None:
    places = learned([], *trip("a b"))
    assert places[1].position - places[0].position == POSITION_GAP
    names = [f"x{number}" for number in range(30)]
    for number, name in enumerate(names):
        hour = 24 * (number + 1)
        places = learned(places, ticked("a", hour * 60), ticked(name, hour * 60 + 1))
        assert len({it.position for it in places}) == len(places)
    assert named(places) == " ".join(["a", *names[::-1], "b"])


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
def test_new_names_find_their_place(order_: str, new: str, expected: str) -> None:
    names = [[each for each in text.split(",") if each] for text in (order_, new, expected)]
    assert insert_new_names(names[0], names[1]) == names[2]


def test_entries_of_one_name_stand_in_the_order_in_which_they_came() -> None:
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
    assert await order(home.admin) == ["Tea", "Milk"]


async def test_each_store_has_its_own(home: Home, market: Shown) -> None:
    bakery = (await add_place(home.admin, "stores", "Bakery"))["storeId"]
    await add_purchased_entry(home.admin, name="Milk", storeId=market["storeId"])
    await add_purchased_entry(home.admin, name="Bread", storeId=bakery)
    await add_purchased_entry(home.admin, name="Milk", storeId=bakery)
    assert await order(home.admin, bakery) == ["Bread", "Milk"]
    assert await order(home.admin, market["storeId"]) == ["Milk"]


async def test_who_listens_hears_of_an_order_and_of_no_name(home: Home, market: Shown) -> None:
    family_id, db = home.family["familyId"], home.running.db
    before = len(await changes_since(db, family_id, None))
    await put(home.admin, ["Cake"])
    await put(home.admin, ["Tea"], market["storeId"])
    told = (await changes_since(db, family_id, None))[before:]
    assert [(each.type, each.id, each.version) for each in told] == [
        ("StoreOrder", "unassigned", 1),
        ("StoreOrder", market["storeId"], 1),
    ]
