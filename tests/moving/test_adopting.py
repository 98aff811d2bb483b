"""Tables that another program filled are a household's once they were adopted."""

import asyncio
from collections.abc import AsyncIterator
from itertools import groupby
from typing import Any

import pytest
from argon2 import PasswordHasher, Type

from homeshelf.accounts import tokens
from homeshelf.accounts.model import Account, IdentityClaim
from homeshelf.accounts.store import account
from homeshelf.app import SLICES
from homeshelf.commands.findings import records_findings
from homeshelf.families.model import Family
from homeshelf.moving.adopting import Adopting
from homeshelf.shares.model import ChecklistItem, Shareable
from homeshelf.shares.pool import claim_of, find_free
from homeshelf.table import (
    BOOKS,
    HELPER,
    INVENTORY,
    SHAREABLES,
    ConditionFailed,
    Database,
    Delete,
    Put,
    Table,
    Update,
    Write,
)
from homeshelf.table.limits import row_key
from tests.home import Home, ids
from tests.identity.coming import comes
from tests.identity.issuer import open_issuer
from tests.moment import Moment
from tests.moving.adopting import OTHER_FAMILY, WRITES, adopt, everything, silent
from tests.moving.elsewhere import let_in
from tests.moving.foreign import (
    EMMA,
    FAMILY,
    INVITATION,
    INVITED,
    JOHN,
    JOHNS_ADDRESS,
    LIST,
    LOW,
    MARKET,
    MILK,
    NOTICE,
    PANTRY,
    TAG,
    TAGGED,
    TIM,
    TOWELS,
    WAITING,
    WHEN,
    Raw,
    entry,
    family_record,
    many,
    member,
    notice,
    place,
    smiths,
    thing,
    write_raw,
)
from tests.running import PASSWORD, RunningApp, Visitor, problem_of, running_app

OPEN_LIST = "ope-nli-00001"


@pytest.fixture(autouse=True)
def then(moment: Moment) -> None:
    moment.move(WHEN)


@pytest.fixture
async def house(database: Database) -> AsyncIterator[RunningApp]:
    """The Smiths', adopted and served."""
    await write_raw(database, smiths())
    await adopt(database)
    async with running_app(database) as running:
        yield running


@pytest.fixture
async def john(house: RunningApp) -> Visitor:
    return await let_in(house, JOHN)


@pytest.fixture
async def emma(house: RunningApp) -> Visitor:
    return await let_in(house, EMMA)


async def test_a_stranger_gets_nothing_by_it(house: RunningApp) -> None:
    eve = await house.person("eve")
    assert (await eve.get("/me")).json()["families"] == []
    assert problem_of(await eve.get("/items", headers={"X-Family-Id": FAMILY}))[0] in (403, 404)


async def test_an_address_in_the_tables_is_nobody_elses(house: RunningApp) -> None:
    wanted = {"email": JOHNS_ADDRESS.lower(), "password": PASSWORD, "name": "John"}
    assert problem_of(await house.visitor().post("/accounts", wanted)) == (409, "duplicate")


async def test_a_member_comes_in_by_a_link_and_finds_the_family(house: RunningApp) -> None:
    found = await account(house.db, JOHN)
    assert found is not None
    token = tokens.reset_token(house.signer, found, shown=True)
    visitor = house.visitor()
    password = {"token": token, "password": PASSWORD}
    assert (await visitor.post("/passwords/reset", password)).status_code == 204
    assert (await visitor.post("/passwords/reset", password)).status_code == 404
    own = {"email": JOHNS_ADDRESS.upper(), "password": PASSWORD}
    visitor.bear((await visitor.post("/tokens", own)).json()["accessToken"])
    me = (await visitor.get("/me")).json()
    home = {"familyId": FAMILY, "name": "Smith", "role": "admin"}
    assert (me["memberId"], me["emailVerified"], me["families"]) == (JOHN, False, [home])
    assert len(ids(await visitor.get("/items"), "itemId")) == 4


async def test_a_child_without_an_address_comes_in_by_a_parents_link(
    house: RunningApp, john: Visitor
) -> None:
    link = (await john.post(f"/members/{TIM}/sign-in-link")).json()["link"]
    tim = house.visitor()
    path = "/sign-in-link/" + link.rpartition("/")[2]
    assert (await tim.client.get(path)).status_code == 200
    signed_in = await tim.client.post(path, headers={"Origin": str(tim.client.base_url)})
    assert signed_in.status_code == 303
    assert "Paper Towels" in (await tim.client.get("/stock")).text


async def test_what_waits_on_the_list_is_not_added_twice(john: Visitor) -> None:
    refused = await john.post("/shopping-list", {"itemId": TOWELS})
    assert problem_of(refused) == (409, "duplicate")
    assert refused.json()["existing"]["shoppingItemId"] == WAITING
    forced = await john.post("/shopping-list", {"itemId": TOWELS, "force": True})
    assert forced.status_code == 201


async def test_an_entry_is_ticked_put_away_and_added_again(john: Visitor) -> None:
    bought = await john.patch(
        f"/shopping-list/{WAITING}/status", {"status": "purchased", "version": 1}
    )
    assert (bought.status_code, bought.json()["version"]) == (200, 2), bought.text
    again = await john.patch(
        f"/shopping-list/{WAITING}/status", {"status": "pending", "version": 1}
    )
    assert problem_of(again) == (409, "version_conflict")
    away = await john.post(f"/shopping-list/{WAITING}/put-away", {"version": 2})
    assert away.status_code == 200, away.text
    assert (await john.get(f"/items/{TOWELS}")).json()["quantity"] == 6
    assert (await john.post("/shopping-list", {"itemId": TOWELS})).status_code == 201


async def test_a_thing_that_runs_low_has_one_notice(john: Visitor) -> None:
    async def open_notices() -> list[str]:
        found = await john.get("/notifications?status=active")
        return ids(found, "notificationId")

    assert await open_notices() == [NOTICE]
    assert (await john.post(f"/items/{LOW}/adjust", {"delta": 5})).json()["item"]["version"] == 2
    assert await open_notices() == []
    assert (await john.post(f"/items/{LOW}/adjust", {"delta": -5})).status_code == 200
    (new,) = await open_notices()
    assert new != NOTICE
    assert (await john.post(f"/items/{LOW}/adjust", {"delta": -1})).status_code == 200
    assert await open_notices() == [new]
    seen = await john.post(f"/notifications/{new}/acknowledge")
    assert seen.status_code == 200, seen.text


@pytest.mark.parametrize(("path", "place_id"), [("stores", MARKET), ("locations", PANTRY)])
async def test_a_place_is_renamed_and_its_name_is_its_own(
    john: Visitor, path: str, place_id: str
) -> None:
    old = {"name": {"stores": "market", "locations": "pantry"}[path]}
    assert problem_of(await john.post(f"/{path}", old)) == (409, "duplicate")
    renamed = await john.patch(f"/{path}/{place_id}", {"name": "Another", "version": 1})
    assert (renamed.status_code, renamed.json()["version"]) == (200, 2), renamed.text
    assert (await john.post(f"/{path}", old)).status_code == 201
    assert problem_of(await john.post(f"/{path}", {"name": "another"})) == (409, "duplicate")


async def test_a_barcode_is_its_things(john: Visitor) -> None:
    found = await john.get("/items/by-barcode/4006381333931")
    assert found.json()["itemId"] == MILK
    taken = {"name": "Oats", "barcodes": ["4006381333931"]}
    assert problem_of(await john.post("/items", taken)) == (409, "duplicate")


async def test_a_wish_is_granted_and_another_refused(john: Visitor, emma: Visitor) -> None:
    async def waiting() -> list[str]:
        found = (await john.get("/suggestions?status=pending")).json()["suggestions"]
        return [each["suggestionId"] for each in found]

    pending = await waiting()
    assert len(pending) == 2
    for each in pending:
        done = await john.post(f"/suggestions/{each}/approve", {"version": 1})
        assert done.status_code == 200, done.text
        again = await john.post(f"/suggestions/{each}/reject", {"version": 1})
        assert again.status_code == 409
    assert await waiting() == []
    wish = {"type": "add_to_shopping", "itemId": MILK}
    assert (await emma.post("/suggestions", wish)).status_code == 201


async def test_a_tag_on_the_shelf_goes_on_working(house: RunningApp, john: Visitor) -> None:
    tapped = await house.visitor().post(f"/taps/{TAG}", {"delta": -1})
    assert (tapped.status_code, tapped.json()["quantity"]) == (200, 4), tapped.text
    rotated = await john.post(f"/nfc-urls/{TAG}/rotate")
    assert rotated.status_code in (200, 201), rotated.text
    assert (await house.visitor().post(f"/taps/{TAG}", {"delta": -1})).status_code == 404
    assert (await john.get(f"/items/{TAGGED}")).json()["version"] == 2


async def test_everything_without_a_version_counts_as_the_first(john: Visitor) -> None:
    """The next write asks that it still has none; who saw an older one is refused."""
    renamed = await john.patch("/family", {"name": "Smiths", "version": 1})
    assert (renamed.status_code, renamed.json()["version"]) == (200, 2), renamed.text
    for path in (f"/members/{EMMA}", f"/items/{MILK}"):
        for version, status in ((2, 409), (1, 200), (1, 409)):
            answer = await john.patch(path, {"name": f"Named {version}", "version": version})
            assert answer.status_code == status, answer.text
    listed = (await john.get("/items")).json()["items"]
    assert {each["name"]: each["version"] for each in listed} == {
        "Named 1": 2,
        "Paper Towels": 1,
        "Rice": 1,
    }


async def test_lists_of_records_show_the_first_version_too(john: Visitor) -> None:
    seen: dict[str, set[Any]] = {}
    for path, name in {
        "/items": "items",
        "/stores": "items",
        "/locations": "items",
        "/members": "items",
        "/invitations": "items",
        "/notifications": "items",
        "/shopping-list": "items",
        "/suggestions": "suggestions",
    }.items():
        seen[path] = {each["version"] for each in (await john.get(path)).json()[name]}
    assert seen == {path: {1} for path in seen}


async def test_of_two_who_change_what_has_no_version_one_is_first(john: Visitor) -> None:
    async def both(path: str, **changes: Any) -> None:
        wanted = [{**changes, "name": f"Named {number}", "version": 1} for number in range(2)]
        answers = await asyncio.gather(*(john.patch(path, each) for each in wanted))
        assert sorted(each.status_code for each in answers) == [200, 409], path
        assert {each.json().get("version", 2) for each in answers} == {2}

    await both("/family")
    await both(f"/stores/{MARKET}")
    await both(f"/shopping-list/{WAITING}")
    await both(f"/items/{TAGGED}")
    await both(f"/shareables/{OPEN_LIST}")


async def test_there_is_always_a_parent(john: Visitor) -> None:
    alone = await john.patch(f"/members/{JOHN}", {"role": "suggester", "version": 1})
    assert problem_of(alone) == (409, "last_admin")
    other = await john.patch(f"/members/{EMMA}", {"role": "admin", "version": 1})
    assert other.status_code == 200, other.text
    goes = await john.patch(f"/members/{JOHN}", {"role": "suggester", "version": 1})
    assert goes.status_code == 200, goes.text


async def test_an_invitation_waits_and_is_sent_again(house: RunningApp, john: Visitor) -> None:
    twice = await john.post("/invitations", {"email": INVITED.upper(), "role": "suggester"})
    assert problem_of(twice) == (409, "duplicate")
    again = await john.post(f"/invitations/{INVITATION}/resend")
    assert again.status_code == 200, again.text
    gran = await house.person("gran")
    token = again.json()["link"].rpartition("/")[2]
    assert (await gran.post("/invitations/accept", {"token": token})).status_code == 200
    assert [each["role"] for each in (await gran.get("/me")).json()["families"]] == ["admin"]


async def test_a_list_is_opened_ticked_put_in_order_and_kept(house: RunningApp) -> None:
    visitor = house.visitor()
    path = f"/shareables/{OPEN_LIST}"
    opened = (await visitor.get(path)).json()
    assert [each["name"] for each in opened["items"]] == ["Tent", "Stove", "Rope"]
    tent, stove, rope = (each["checklistItemId"] for each in opened["items"])
    ticked = await visitor.patch(f"{path}/items/{tent}", {"checked": True})
    assert ticked.status_code == 200, ticked.text
    order = {"checklistItemIds": [rope, tent, stove]}
    moved = await visitor.put(f"{path}/order", order)
    assert moved.status_code in (200, 204), moved.text
    names = [each["name"] for each in (await visitor.get(path)).json()["items"]]
    assert names == ["Rope", "Tent", "Stove"]
    shared = await house.db.get(Shareable.key(short_id=OPEN_LIST))
    items = await house.db.all(ChecklistItem.where(short_id=OPEN_LIST))
    assert shared is not None
    assert {shared.ttl, *(each.ttl for each in items)} == {shared.kept_until}


async def test_no_short_id_of_theirs_is_made_again(house: RunningApp) -> None:
    for short_id in (LIST, OPEN_LIST, "aaa-aaa-00000"):
        with pytest.raises(ConditionFailed):
            await house.db.write(claim_of(short_id).take())


async def test_a_new_list_has_a_short_id_of_their_pool(house: RunningApp) -> None:
    free = await find_free(house.db, 99)
    assert free.short_id == "aaa-aaa-00000"
    await house.db.transact(*free.writes)
    assert (await find_free(house.db, 99)).short_id != free.short_id


async def test_a_passcode_that_another_program_kept_admits_nobody(house: RunningApp) -> None:
    for passcode in ("***", "****", ""):
        answer = await house.visitor().post(
            f"/shareables/{LIST}/unlock", {"passcode": passcode or "none"}
        )
        assert answer.status_code in (401, 410), answer.text


@pytest.mark.parametrize(
    ("form", "opens"),
    [
        (PasswordHasher(time_cost=1, memory_cost=64, parallelism=1), True),
        (PasswordHasher(time_cost=1, memory_cost=64, parallelism=1, type=Type.I), False),
        (PasswordHasher(time_cost=9, memory_cost=64, parallelism=1), False),
        (PasswordHasher(time_cost=1, memory_cost=80 * 1024, parallelism=1), False),
    ],
    ids=["argon2id", "argon2i", "slow", "large"],
)
async def test_only_what_can_be_compared_at_little_cost_admits(
    database: Database, form: PasswordHasher, opens: bool
) -> None:
    locked = next(item for _, item in smiths() if item.get("shortId") == OPEN_LIST)
    await write_raw(database, [(SHAREABLES, locked | {"viewPasscode": form.hash("open sesame")})])
    said = (await adopt(database)).remarks
    assert any(f"the view passcode of the list {OPEN_LIST}" in each for each in said) is not opens
    async with running_app(database) as running:
        asked = {"passcode": "open sesame"}
        answer = await running.visitor().post(f"/shareables/{OPEN_LIST}/unlock", asked)
        assert answer.status_code == (200 if opens else 401)


async def test_books_are_found_by_their_status(john: Visitor) -> None:
    found = await john.get("/books?status=READING")
    assert [each["title"] for each in found.json()["items"]] == ["The Hobbit"]
    (book_id,) = ids(found, "id")
    assert (await john.post(f"/books/{book_id}/page", {"page": 20})).status_code in (200, 201)
    assert [each["page"] for each in (await john.get(f"/books/{book_id}/events")).json()["items"]]


async def test_records_have_what_they_had_and_little_more(database: Database) -> None:
    records = [*smiths(), *many(OTHER_FAMILY, 1000)]
    await write_raw(database, records)
    before = await everything(database)
    await adopt(database)
    after = await everything(database)
    added: set[str] = set()
    for key, item in before.items():
        assert {name: after[key][name] for name in item} == dict(item)
        added |= {f"{key.table.name} {name}" for name in after[key].keys() - item.keys()}
    assert added == {
        "InventoryManagement admins",
        "Shareables ttl",
        "BookTrackerTable gsi1pk",
        "BookTrackerTable gsi1sk",
    }
    counts = [after[Family.key(family_id=each)]["admins"] for each in (FAMILY, OTHER_FAMILY)]
    assert counts == [1, 1]


async def test_the_second_time_nothing_is_written(database: Database) -> None:
    await write_raw(database, [*smiths(), *many(OTHER_FAMILY, 1000)])
    done = await adopt(database)
    assert done.made.total() > 500
    after = await everything(database)
    before = {name: database.engine.consumed[name] for name in WRITES}
    again = await adopt(database)
    assert again.made.total() == 0
    assert {name: database.engine.consumed[name] for name in WRITES} == before
    assert await everything(database) == after


async def test_a_record_is_changed_after_all_that_is_made_beside_it(database: Database) -> None:
    """The doctor looks at that alone, and must not think that half a family is done."""
    await write_raw(database, smiths())
    order: list[Table] = []
    really, transact = database.write, database.transact

    async def written(write: Put | Update | Delete) -> None:
        await really(write)
        order.append(row_key(write)[0])

    async def written_together(*several: Write) -> None:
        await transact(*several)
        order.extend(row_key(one)[0] for one in several)

    database.write = written  # type: ignore[method-assign]
    database.transact = written_together  # type: ignore[method-assign]
    await adopt(database)
    tables = [table for table, _ in groupby(order)]
    assert tables == [HELPER, INVENTORY, HELPER, SHAREABLES, BOOKS]


async def test_to_look_writes_nothing_and_says_what_is_done_then(database: Database) -> None:
    await write_raw(database, [*smiths(), member(OTHER_FAMILY, JOHN, "J", "admin", None)])
    before = await everything(database)
    looked = await Adopting(database, SLICES).look(silent)
    assert await everything(database) == before
    assert await adopt(database) == looked


async def test_a_house_of_our_own_needs_nothing(home: Home, kid: Visitor) -> None:  # noqa: ARG001
    for name in ("Rice", "Oats"):
        made = await home.admin.post("/items", {"name": name, "quantity": 1, "threshold": 3})
        await home.admin.post("/shopping-list", {"itemId": made.json()["itemId"]})
    await home.admin.post("/stores", {"name": "Market"})
    await home.admin.post("/books", {"title": "The Hobbit"})
    await home.admin.post("/shareables", {"name": "Camping", "items": [{"name": "Tent"}]})
    await home.invite("gran@home.local")
    found = await Adopting(home.running.db, SLICES).look(silent)
    assert (found.made, list(found.remarks)) == ({}, [])


TWINS: list[Raw] = [
    place(FAMILY, "Store", "923e4567-e89b-12d3-a456-426614174000", " MARKET "),
    entry(FAMILY, "9f14e45f-ceea-467a-9b36-34f6c3b3e7ff", TOWELS, "Paper Towels"),
    notice(FAMILY, "9f14e45f-ceea-467a-9b36-34f6c3b3e7fe", LOW, "Rice", 1, 3),
    thing(FAMILY, "9ba7b810-9dad-11d1-80b4-00c04fd430c9", "UHT", 1, 0, barcodes=["4006381333931"]),
    member(OTHER_FAMILY, TIM[:-1] + "9", "Jack", "admin", JOHNS_ADDRESS.lower()),
    family_record(OTHER_FAMILY, "Doe", by=JOHN),
]


async def test_of_two_that_are_the_same_both_stay_and_are_told_of(database: Database) -> None:
    await write_raw(database, [*smiths(), *TWINS])
    said = "\n".join((await adopt(database)).remarks)
    assert f"Family {FAMILY} has two stores with the name market: both stay" in said
    assert f"has 2 entries waiting for the thing {TOWELS}: all stay." in said
    assert f"Family {FAMILY} has 2 open notices about Rice: all stay" in said
    assert "has two things with the barcode 4006381333931: both keep it" in said
    assert "Somebody else here has the address " in said
    async with running_app(database) as running:
        john = await let_in(running, JOHN)
        for _, item in TWINS[:1]:
            path = f"/stores/{item['storeId']}"
            renamed = await john.patch(path, {"name": "Corner shop", "version": 1})
            assert renamed.status_code == 200, renamed.text
        assert problem_of(await john.post("/stores", {"name": "Market"})) == (409, "duplicate")
        uht = f"/items/{TWINS[3][1]['itemId']}"
        assert (await john.patch(uht, {"barcodes": [], "version": 1})).status_code == 200
        assert (await john.get("/items/by-barcode/4006381333931")).json()["itemId"] == MILK
        assert (await john.post(f"/items/{LOW}/adjust", {"delta": 5})).status_code == 200
        assert ids(await john.get("/notifications?status=active"), "notificationId") == []
        assert len(ids(await john.get("/shopping-list?status=pending"), "shoppingItemId")) == 3


async def test_a_notice_that_is_found_later_ends_with_the_first(database: Database) -> None:
    await write_raw(database, smiths())
    await adopt(database)
    await write_raw(database, [TWINS[2]])
    await adopt(database)
    async with running_app(database) as running:
        john = await let_in(running, JOHN)
        assert len(ids(await john.get("/notifications?status=active"), "notificationId")) == 2
        assert (await john.post(f"/items/{LOW}/adjust", {"delta": 5})).status_code == 200
        assert ids(await john.get("/notifications?status=active"), "notificationId") == []


async def test_a_notice_of_what_had_enough_stands_in_nobodys_way(database: Database) -> None:
    stale = notice(FAMILY, "9f14e45f-ceea-467a-9b36-34f6c3b3e7fe", MILK, "Milk", 0, 1)
    await write_raw(database, [*smiths(), stale])
    await write_raw(database, [thing(FAMILY, MILK, "Milk", 5, 2)])
    await adopt(database)
    async with running_app(database) as running:
        john = await let_in(running, JOHN)
        down = await john.post(f"/items/{MILK}/adjust", {"delta": -4})
        assert down.status_code == 200, down.text
        found = (await john.get("/notifications?status=active")).json()["items"]
        assert sorted(each["itemName"] for each in found) == ["Milk", "Rice"]
        assert stale[1]["notificationId"] not in {each["notificationId"] for each in found}


async def test_a_person_in_two_families_has_one_account(database: Database) -> None:
    other = [
        family_record(OTHER_FAMILY, "Doe", by=JOHN),
        member(OTHER_FAMILY, JOHN, "John Smith", "admin", JOHNS_ADDRESS),
    ]
    await write_raw(database, [*smiths(), *other])
    await adopt(database)
    found = await account(database, JOHN)
    assert found is not None
    assert sorted(found.families) == sorted([FAMILY, OTHER_FAMILY])


async def test_only_with_an_issuer_somebody_vouches_for_them(database: Database) -> None:
    issuer = "https://id.example"
    await write_raw(database, smiths())
    await adopt(database)
    claim = IdentityClaim.key_of(issuer, JOHN)
    assert await database.get(claim) is None
    john = await account(database, JOHN)
    assert john is not None
    assert (john.issuer, john.origin, john.password_hash) == (None, "password", None)
    await adopt(database, issuer)
    held = await database.get(claim)
    linked = await account(database, JOHN)
    assert held is not None
    assert linked is not None
    assert (held.holder, linked.is_linked_to(issuer, JOHN), linked.needs_provider) == (
        JOHN,
        True,
        True,
    )
    assert (await adopt(database, issuer)).made.total() == 0


async def test_with_an_issuer_from_the_start_everybody_has_a_claim(database: Database) -> None:
    issuer = "https://id.example"
    await write_raw(database, smiths())
    await adopt(database, issuer)
    for each in (JOHN, EMMA, TIM):
        found = await database.get(Account.key(member_id=each))
        assert found is not None
        assert found.is_linked_to(issuer, each)
        assert found.origin == "provider"


async def test_whom_the_issuer_calls_by_their_id_is_at_home(database: Database) -> None:
    await write_raw(database, smiths())
    async with open_issuer() as issuer:
        await adopt(database, issuer.url)
        async with running_app(database, **issuer.settings) as running:
            emma = comes(running, issuer, sub=EMMA, email="emma@smith.example")
            home = {"familyId": FAMILY, "name": "Smith", "role": "suggester"}
            assert (await emma.get("/me")).json()["families"] == [home]
            eve = comes(running, issuer, sub=OTHER_FAMILY, email=JOHNS_ADDRESS)
            assert (await eve.get("/me")).json()["families"] == []


async def test_without_an_issuer_whom_one_calls_by_an_id_is_a_stranger(database: Database) -> None:
    await write_raw(database, smiths())
    await adopt(database)
    async with (
        open_issuer() as issuer,
        running_app(database, **issuer.settings) as running,
    ):
        eve = comes(running, issuer, sub=JOHN, email=JOHNS_ADDRESS)
        assert problem_of(await eve.get("/me")) == (401, "unauthenticated")


async def test_who_has_a_password_keeps_it_and_gets_no_claim(home: Home) -> None:
    issuer = "https://id.example"
    said = (await adopt(home.running.db, issuer)).remarks
    assert any(home.admin.member_id in each for each in said)
    assert await home.running.db.get(IdentityClaim.key_of(issuer, home.admin.member_id)) is None


async def test_an_account_that_was_here_before_keeps_its_address(database: Database) -> None:
    async with running_app(database) as running:
        wanted = {"email": JOHNS_ADDRESS, "password": PASSWORD, "name": "John"}
        assert (await running.visitor().post("/accounts", wanted)).status_code == 201
        await write_raw(database, smiths())
        said = "\n".join((await adopt(database)).remarks)
        assert f"Somebody else here has the address {JOHNS_ADDRESS}" in said
        signed_in = {"email": JOHNS_ADDRESS, "password": PASSWORD}
        assert (await running.visitor().post("/tokens", signed_in)).status_code == 200


async def test_what_cannot_be_read_is_left_and_told_of(database: Database) -> None:
    broken = thing(FAMILY, "9ba7b810-9dad-11d1-80b4-00c04fd430c9", "Odd", 1, 0)
    broken[1]["quantity"] = "many"
    nameless = place(FAMILY, "Store", "923e4567-e89b-12d3-a456-426614174000", "")
    misplaced = thing(FAMILY, "9ba7b810-9dad-11d1-80b4-00c04fd430c8", "Odd", 1, 0)
    misplaced[1]["itemId"] = MILK
    await write_raw(database, [*smiths(), broken, nameless, misplaced])
    said = "\n".join((await adopt(database)).remarks)
    assert "Some records cannot be read" in said
    assert "Some records stand at keys that are not theirs" in said
    again = await Adopting(database, SLICES).look(silent)
    assert again.made == {}


async def test_the_doctor_says_that_it_waits_for_it(database: Database) -> None:
    adopted_by = {kind: name for each in SLICES for kind, name in each.adopted_by.items()}

    async def said() -> list[str]:
        return [what async for what, _, well in records_findings(database, adopted_by) if not well]

    await write_raw(database, smiths())
    assert await said() == ["adopting"]
    await adopt(database)
    assert await said() == []
