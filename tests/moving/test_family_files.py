"""A family moves into another house: with everything it has, and with nobody's way in."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

import pytest

from homeshelf import clock, families
from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.store import account, account_with_email
from homeshelf.app import SLICES
from homeshelf.commands.files import take_in
from homeshelf.families.links import SignInLink
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.families.moving import accounts_of
from homeshelf.home.steps import SettledStep
from homeshelf.inventory.model import InventoryItem
from homeshelf.moving import importing
from homeshelf.moving.exporting import exported
from homeshelf.moving.importing import Refused, planned, read_file
from homeshelf.moving.mark import ImportMark
from homeshelf.shopping.habits import habits_of
from homeshelf.shopping.model import Purchase, StorePlace, digest_of_name
from homeshelf.suggestions.model import HeardAnswer
from homeshelf.table import HELPER, TABLES, CannotOpen, Database, Record
from homeshelf.taps.model import WeekOfTaps
from homeshelf.web.belongings import Belonging
from homeshelf.web.services import Slice
from tests.cupboard import add_item, add_place, adjust, some_barcodes
from tests.home import NOBODYS, Home, token_in
from tests.moving.elsewhere import elsewhere, let_in
from tests.running import Person, RunningApp, Visitor, problem_of
from tests.taps.tags import make_tag, tap

__all__ = ["elsewhere"]

Exported = dict[str, Any]
(CODE,) = some_barcodes(1)
BY_ITSELF = ("LEASE#", "TODO#", "SHORTID#", *"0123456789")
"""How the keys of work under way begin, and of short ids that are drawn for later."""


async def file_of(home: Home) -> bytes:
    text, _ = await exported(home.running.db, SLICES, "family", home.family_id)
    return text


async def moved(home: Home, there: RunningApp, text: bytes | None = None) -> list[str]:
    """Into another house; returns what is said about the people."""
    text = text or await file_of(home)
    _, said = await take_in(there.app.state.services, read_file(text, SLICES))
    return said


async def furnished(home: Home, kid: Person) -> dict[str, Any]:
    """One of everything."""
    ada = home.admin
    pantry = await add_place(ada, "locations", "Pantry")
    shop = await add_place(ada, "stores", "Corner shop")
    rice = await add_item(
        ada,
        name="Rice",
        quantity=3,
        threshold=2,
        locationId=pantry["locationId"],
        preferredStoreId=shop["storeId"],
        barcodes=[CODE],
    )
    await adjust(ada, rice, -2)
    tag = await make_tag(ada, rice, label="shelf")
    assert (await tap(home.running.visitor(), tag, 1)).status_code == 200
    salt = await add_item(ada, name="Salt", quantity=0, threshold=2)
    entry = (await ada.post("/shopping-list", {"itemId": rice["itemId"]})).json()
    cake = (await ada.post("/shopping-list", {"name": "Cake"})).json()
    bought = {"status": "purchased", "version": 1}
    await ada.patch(f"/shopping-list/{cake['shoppingItemId']}/status", bought)
    kite = {"type": "create_item", "proposedItemName": "Kite"}
    wish = (await kid.post("/suggestions", kite)).json()
    child = (await ada.post("/members", {"name": "Byron"})).json()
    invitation = await home.invite("guest@home.local")
    await noted(home)
    return {
        "rice": rice,
        "salt": salt,
        "tag": tag,
        "entry": entry,
        "wish": wish,
        "child": child,
        "invitation": invitation,
    }


async def noted(home: Home) -> None:
    """What is noted of taps and purchases comes into the table, which takes half a second else."""
    await habits_of(home.running.app).flush()
    await home.running.app.state.access_counts.flush()


async def with_what_comes_with_time(home: Home, made: dict[str, Any]) -> None:
    """What a household has after some weeks."""
    family_id, at, ttl = home.family_id, clock.timestamp(), clock.seconds() + 10**6
    item_id, url_id = made["rice"]["itemId"], made["tag"]["urlId"]
    digest = digest_of_name(family_id, "Cake")
    bought: dict[str, Any] = {
        "family_id": family_id,
        "name": "Cake",
        "name_digest": digest,
        "ttl": ttl,
    }
    records: list[Record] = [
        Purchase(shopping_item_id=clock.new_id(), added_at=at, bought_at=at, **bought),
        StorePlace(position=7, ticked_at=at, **bought),
        SettledStep(family_id=family_id, name="places", state="done"),
        HeardAnswer(family_id=family_id, suggestion_id=made["wish"]["suggestionId"], ttl=ttl),
        WeekOfTaps(
            family_id=family_id,
            item_id=item_id,
            url_id=url_id,
            week="2024-01-01",
            count=3,
            ttl=ttl,
        ),
    ]
    for record in records:
        await home.running.db.put(record)


async def told(ada: Visitor) -> list[str]:
    """What runs low and is told."""
    found = (await ada.get("/notifications?status=active")).json()["items"]
    return sorted(each["itemName"] for each in found)


async def everything(db: Database) -> list[Any]:
    """But for what the house does meanwhile by itself."""
    found = [(await db.engine.scan(table, 100_000)).items for table in TABLES]
    return [
        [each for each in items if not str(each.get("PK", each.get("pk"))).startswith(BY_ITSELF)]
        for items in found
    ]


async def test_every_feature_works_afterwards(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    made = await furnished(home, kid)
    await moved(home, elsewhere)
    ada = await let_in(elsewhere, home.admin.member_id)
    child = await let_in(elsewhere, kid.member_id)
    rice, there = made["rice"]["itemId"], elsewhere.visitor()

    (place,) = (await ada.get("/locations")).json()["items"]
    renamed = {"name": "Cellar", "version": place["version"]}
    assert (await ada.patch(f"/locations/{place['locationId']}", renamed)).status_code == 200
    assert problem_of(await ada.post("/stores", {"name": "corner SHOP"}))[0] == 409
    assert problem_of(await ada.post("/items", {"name": "Other", "barcodes": [CODE]}))[0] == 409
    assert (await ada.get(f"/items/by-barcode/{CODE}")).json()["itemId"] == rice
    again = await ada.post("/shopping-list", {"itemId": rice})
    assert problem_of(again)[0] == 409
    notices = (await ada.get("/notifications")).json()["items"]
    assert len(notices) == len((await home.admin.get("/notifications")).json()["items"])
    tapped = await tap(there, made["tag"], -1)
    assert tapped.json()["quantity"] == 1
    assert await told(ada) == ["Rice", "Salt"]
    for delta, names in ((5, ["Rice"]), (-5, ["Rice", "Salt"]), (-5, ["Rice", "Salt"])):
        await ada.post(f"/items/{made['salt']['itemId']}/adjust", {"delta": delta})
        assert await told(ada) == names
    assert len((await ada.get(f"/items/{rice}/history")).json()["items"]) >= 4
    mine = (await child.get("/suggestions")).json()["suggestions"]
    assert [each["suggestionId"] for each in mine] == [made["wish"]["suggestionId"]]
    wish = f"/suggestions/{made['wish']['suggestionId']}"
    assert (await ada.post(f"{wish}/approve", {"version": 1})).status_code == 200
    assert (await ada.get("/shopping-list/usual")).status_code == 200
    members = (await ada.get("/members")).json()["items"]
    assert {each["name"] for each in members} == {"ada", "kid", "Byron"}
    deleted = await ada.delete(f"/items/{rice}")
    assert deleted.status_code in (200, 204), deleted.text
    assert (await tap(there, made["tag"], -1)).status_code == 404
    assert (await ada.post("/items", {"name": "Other", "barcodes": [CODE]})).status_code == 201
    invited = await ada.post("/invitations", {"email": "new@home.local", "role": "admin"})
    assert invited.status_code == 201


async def test_people_come_without_any_way_in(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    said = await moved(home, elsewhere)
    db = elsewhere.db
    for person in (home.admin, kid):
        came = await account(db, person.member_id)
        assert came is not None
        assert (came.password_hash, came.issuer, came.subject) == (None, None, None)
        assert (came.origin, came.email_verified) == ("password", False)
        assert came.families == (home.family_id,)
        assert await account_with_email(db, person.email) is None
        assert await db.all(Session.where(member_id=person.member_id)) == []
        answer = await elsewhere.visitor().post(
            "/tokens", {"email": person.email, "password": person.password}
        )
        assert answer.status_code == 401
        assert any(line.endswith(f"user reset-password {person.member_id}") for line in said)
        visitor = elsewhere.visitor()
        visitor.bear(home.running.access_token(person.member_id, person.session_id))
        assert (await visitor.get("/me")).status_code == 401


@pytest.mark.parametrize("origin", [None, "provider"])
async def test_no_provider_takes_over_who_came_in(
    home: Home, elsewhere: RunningApp, origin: str | None
) -> None:
    """One that an account without an origin is taken to be made by."""
    vouched = {"issuer": "https://id.example", "subject": "ada"} if origin else {}
    old = home.admin.account
    theirs = old.changed(password_hash=None, origin=origin, families=(home.family_id,), **vouched)
    await home.running.db.put(theirs)
    await moved(home, elsewhere)
    came = await account(elsewhere.db, home.admin.member_id)
    assert came is not None
    assert (came.origin, came.issuer, came.subject) == ("password", None, None)
    assert not came.predates_claims
    assert not came.needs_provider


async def test_links_come_in_dead(home: Home, kid: Person, elsewhere: RunningApp) -> None:
    """Also where the other house has the same signing key."""
    made = await furnished(home, kid)
    text = await file_of(home)
    assert await home.running.db.all(Family.where(family_id=home.family_id))
    await moved(home, elsewhere, text)
    db = elsewhere.db
    (invitation,) = (
        each
        for each in await db.all(Invitation.where(family_id=home.family_id))
        if each.email == "guest@home.local"
    )
    assert (invitation.status, invitation.secret_hash) == ("revoked", "")
    guest = await elsewhere.person("guest", verified=True)
    token = token_in(made["invitation"])
    assert (await guest.post("/invitations/accept", {"token": token})).status_code == 404
    assert (await guest.get("/invitations/mine")).json()["items"] == []
    ada = await let_in(elsewhere, home.admin.member_id)
    children = (await ada.get("/members")).json()["items"]
    byron = next(each for each in children if each["name"] == "Byron")
    fresh = await ada.post(f"/members/{byron['memberId']}/sign-in-link", {})
    assert fresh.status_code in (200, 201), fresh.text


async def test_no_hash_and_no_secret_is_in_it_but_the_addresses_of_tags(
    home: Home, kid: Person
) -> None:
    made = await furnished(home, kid)
    text = (await file_of(home)).decode()
    assert made["tag"]["urlId"] in text
    for item in await everything(home.running.db):
        for each in item:
            for name in ("passwordHash", "secretHash", "nameDigest", "viewPasscode"):
                assert not each.get(name) or str(each[name]) not in text
    for word in ('Hash"', '"PK"', "argon2", "igest"):  # an address of a tag may have any letters
        assert word not in text


@pytest.mark.parametrize("times", [1, 3, 100])
async def test_what_changes_while_it_is_read_is_read_again(
    home: Home, kid: Person, elsewhere: RunningApp, times: int
) -> None:
    """Who joins after the members were read, and before the accounts, is in half of the file."""
    await furnished(home, kid)
    turns = 0

    async def meanwhile(db: Database, family_id: str) -> Sequence[Account]:
        nonlocal turns
        turns += 1
        if turns <= times:
            joining = await home.running.person(f"guest{turns}", verified=True)
            token = token_in(await home.invite(joining.email))
            assert (await joining.post("/invitations/accept", {"token": token})).is_success
        return await accounts_of(db, family_id)

    of = next(each for each in families.SLICE.belongings if each.kind is Account)
    slices = [replace(each, belongings=belongings(each, of, meanwhile)) for each in SLICES]
    reading = exported(home.running.db, slices, "family", home.family_id)
    if times == 100:
        with pytest.raises(CannotOpen, match="at a quieter moment"):
            await reading
        return
    text, _ = await reading
    assert turns == times + 2
    await moved(home, elsewhere, text)
    assert len(json.loads(text)["records"]["Account"]) == 3 + times


def belongings(each: Slice, of: Belonging, find: Any) -> Sequence[Belonging]:
    return [replace(one, find=find) if one is of else one for one in each.belongings]


async def test_a_family_that_is_here_stays_as_it_is(home: Home, kid: Person) -> None:
    await furnished(home, kid)
    text = await file_of(home)
    before = await everything(home.running.db)
    with pytest.raises(Refused, match="This family is here already, and stays as it is"):
        await moved(home, home.running, text)
    assert await everything(home.running.db) == before


async def test_who_is_here_joins_only_by_invitation(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """Whether by their address or by their id."""
    by_address = await elsewhere.person("ada", verified=True)
    by_id = Account(
        member_id=kid.member_id,
        email="other@home.local",
        name="Other",
        origin="password",
        created_at=clock.timestamp(),
        updated_at=clock.timestamp(),
    )
    await elsewhere.db.put(by_id)
    made = await furnished(home, kid)
    said = await moved(home, elsewhere)
    assert await account(elsewhere.db, by_id.member_id) == by_id
    mine = await account(elsewhere.db, by_address.member_id)
    assert mine == by_address.account
    other = await let_in(elsewhere, by_id.member_id)
    for person in (by_address, other):
        answer = await person.get("/items", headers={"homeshelf-family": home.family_id})
        assert answer.status_code in (403, 404)
    lines = [line for line in said if "/join/" in line]
    assert sorted(line.split()[0] for line in lines) == ["ada@home.local", "kid@home.local"]
    (link,) = (line.rpartition("/")[2] for line in lines if line.startswith("ada@"))
    joined = await by_address.post("/invitations/accept", {"token": link})
    assert joined.status_code == 200, joined.text
    assert joined.json()["role"] == "admin"
    items = (await by_address.get("/items")).json()["items"]
    assert made["rice"]["itemId"] in [each["itemId"] for each in items]
    members = await elsewhere.db.all(Member.where(family_id=home.family_id))
    family = await elsewhere.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    assert family.admins == sum(each.is_admin for each in members) == 2
    history = (await by_address.get(f"/items/{made['rice']['itemId']}/history")).json()["items"]
    assert {each["by"] for each in history if each.get("by")}.isdisjoint(
        {home.admin.member_id, kid.member_id}
    )


async def test_who_is_here_without_an_address_in_the_file_is_invited_at_the_one_they_have(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """Otherwise nobody would get into a family whose only parent it is."""
    at = clock.timestamp()
    there = Account(
        member_id=home.admin.member_id,
        email="other@home.local",
        name="Other",
        origin="password",
        created_at=at,
        updated_at=at,
    )
    await elsewhere.db.put(there)
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    for kind, nothing in (("Member", None), ("Account", "")):
        for each in file["records"][kind]:
            each["email"] = nothing if each["memberId"] == there.member_id else each["email"]
    said = await moved(home, elsewhere, json.dumps(file).encode())
    (line,) = (each for each in said if "/join/" in each)
    assert line.startswith("other@home.local has an account here")
    other = await let_in(elsewhere, there.member_id)
    token = {"token": line.rpartition("/")[2]}
    assert (await other.post("/invitations/accept", token)).json()["role"] == "admin"


async def test_a_tag_of_another_family_here_is_not_taken_over(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    made = await furnished(home, kid)
    text = await file_of(home)
    tag = made["tag"]["urlId"]
    other = json.loads(text)
    family_id = clock.new_id()
    await moved(home, elsewhere, text)
    stolen = json.dumps(other).replace(home.family_id, family_id).encode()
    before = await everything(elsewhere.db)
    with pytest.raises(Refused, match="has the address of one of its tags"):
        await moved(home, elsewhere, stolen)
    assert await everything(elsewhere.db) == before
    assert (await tap(elsewhere.visitor(), {"urlId": tag}, -1)).status_code == 200


def without_family(file: Exported) -> None:
    file["records"]["Family"] = []


def without_parents(file: Exported) -> None:
    for member in file["records"]["Member"]:
        member["role"] = "suggester"


def twice(file: Exported) -> None:
    file["records"]["InventoryItem"] *= 2


def somebody_elses(file: Exported) -> None:
    file["records"]["InventoryItem"][0]["familyId"] = clock.new_id()


def tag_twice(file: Exported) -> None:
    (tag,) = file["records"]["NFCUrl"]
    file["records"]["NFCUrl"].append({**tag, "itemId": clock.new_id()})


def nested(times: int) -> Any:
    return json.loads("[" * times + "]" * times)


def a_hash(name: str, attribute: str) -> Callable[[Exported], None]:
    def add(file: Exported) -> None:
        file["records"][name][0][attribute] = "smuggled"

    return add


def changed(kind: str, **values: Any) -> Callable[[Exported], None]:
    def change(file: Exported) -> None:
        file["records"][kind][0].update(values)

    return change


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda file: file.update(homeshelf="pantry"), "no export of Homeshelf's"),
        (lambda file: file.pop("records"), "no export of Homeshelf's"),
        (lambda file: file.update(format=2), "newer Homeshelf"),
        (lambda file: file.update(id="FAMILY#1"), "does not say whose it is"),
        (lambda file: file["records"].update(Session=[{}]), "not known here: Session"),
        (lambda file: file["records"].update(Member={}), "something else than records as Member"),
        (without_family, "there is not one family in it"),
        (without_parents, "the family has no parent"),
        (twice, "the same record twice"),
        (somebody_elses, "a record of somebody else"),
        (a_hash("Account", "passwordHash"), "Account has no passwordHash"),
        (a_hash("Invitation", "secretHash"), "Invitation has no secretHash"),
        (a_hash("SignInLink", "secretHash"), "SignInLink has no secretHash"),
        (a_hash("InventoryItem", "PK"), "InventoryItem has no PK"),
        (changed("InventoryItem", quantity="many"), "InventoryItem has quantity"),
        (changed("InventoryItem", quantity=-1), "a count that cannot be"),
        (changed("InventoryItem", quantity=10**12), "a count that cannot be"),
        (changed("InventoryItem", itemId="a#b"), "itemId is nothing that a key can hold"),
        (changed("InventoryItem", name="x" * 500_000), "a record of"),
        (changed("InventoryItem", createdAt="yesterday"), "Invalid isoformat"),
        (changed("Member", memberId="me"), "memberId that cannot be"),
        (changed("Account", memberId=NOBODYS), "is no member of the family"),
        (changed("NFCUrl", urlId="../../x"), "an address that none can have"),
        (tag_twice, "two of its tags have the same address"),
        (changed("SignInLink", memberId=NOBODYS), "a sign-in link is for nobody in the family"),
        (changed("Account", families=[NOBODYS]), "Account has no families"),
        (changed("Account", emailVerified=True), "Account has no emailVerified"),
        (changed("Account", issuer="https://id.example", subject="ada"), "has no issuer, subject"),
        (changed("Account", era=0), "Account has no era"),
        (changed("Family", admins=9), "Family has no admins"),
        (changed("Member", familyId=NOBODYS), "a record of somebody else"),
        (changed("Member", GSI1PK="MEMBER#somebody"), "Member has no GSI1PK"),
        (changed("Member", role="owner"), r"Member has role \(literal_error\)"),
        (changed("StorageLocation", name="x" * 2000), "longer than 1024 bytes"),
        (changed("StorageLocation", name="  "), "nothing that a key can hold"),
        (changed("ShoppingListItem", name={"a": 1}), "ShoppingListItem has name"),
        (changed("QuantityChange", ttl=10**30), "whole seconds"),
        (changed("Member", createdAt="0001-01-01T00:00:00+14:00"), "createdAt that cannot be"),
        (changed("QuantityChange", at="yesterday"), "Invalid isoformat"),
        (changed("QuantityChange", at="2026-01-01"), "at that cannot be"),
        (changed("WeekOfTaps", week="the first"), "Invalid isoformat"),
        (changed("Suggestion", notes=nested(900)), "Suggestion has notes|nested too deeply"),
        (changed("InventoryItem", name="\ud800"), "no export of Homeshelf's|valid Unicode"),
    ],
)
async def test_a_broken_file_changes_nothing(
    home: Home,
    kid: Person,
    elsewhere: RunningApp,
    spoil: Callable[[Exported], None],
    why: str,
) -> None:
    await with_what_comes_with_time(home, await furnished(home, kid))
    file = json.loads(await file_of(home))
    spoil(file)
    with pytest.raises(Refused, match=why):
        await moved(home, elsewhere, json.dumps(file).encode())
    assert await everything(elsewhere.db) == [[]] * len(TABLES)


@pytest.mark.parametrize(
    "number", ["1e999999999", "-1e-999999999", "1" + "0" * 5000, "1e308", "NaN", "-0.0e5"]
)
async def test_a_number_that_nobody_can_keep_takes_no_time(
    home: Home, kid: Person, elsewhere: RunningApp, number: str
) -> None:
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    file["records"]["InventoryItem"][0]["quantity"] = "@"
    text = json.dumps(file).replace('"@"', number).encode()
    if number == "-0.0e5":
        await moved(home, elsewhere, text)
        return
    with pytest.raises(Refused, match=r"no export of Homeshelf's|count that cannot|quantity"):
        await moved(home, elsewhere, text)
    assert await everything(elsewhere.db) == [[]] * len(TABLES)


async def test_nothing_of_somebody_here_is_touched(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """Neither by a link in their name, nor by an account that has their address."""
    bob = await elsewhere.person("bob", verified=True)
    await furnished(home, kid)
    text = await file_of(home)

    linked = json.loads(text)
    linked["records"]["SignInLink"][0]["memberId"] = bob.member_id
    before = await everything(elsewhere.db)
    with pytest.raises(Refused, match="for nobody in the family"):
        await moved(home, elsewhere, json.dumps(linked).encode())
    assert await everything(elsewhere.db) == before

    named = json.loads(text)
    for each in named["records"]["Account"]:
        if each["memberId"] == kid.member_id:
            each["email"] = bob.email
    said = await moved(home, elsewhere, json.dumps(named).encode())
    assert await account(elsewhere.db, bob.member_id) == bob.account
    assert await account(elsewhere.db, kid.member_id) is None
    emails = [each.email for each in await every_account(elsewhere.db)]
    assert emails.count(bob.email) == 1
    assert not any("reset-password" in line and kid.member_id in line for line in said)


async def every_account(db: Database) -> list[Account]:
    items = (await db.engine.scan(HELPER, 100_000)).items
    return [Account.load(item) for item in items if item["SK"] == "ACCOUNT"]


async def test_what_is_here_in_the_place_of_a_record_stays(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    """A link that was left behind for a child that is gone, say."""
    made = await furnished(home, kid)
    child = SignInLink.key(member_id=made["child"]["memberId"])
    link = await home.running.db.get(child)
    assert link is not None
    await elsewhere.db.put(link.changed(family_id=clock.new_id()))
    before = await everything(elsewhere.db)
    with pytest.raises(Refused, match="something else is here already"):
        await moved(home, elsewhere)
    assert await everything(elsewhere.db) == before


async def test_an_invitation_in_the_file_takes_no_place_of_one_that_is_made(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await elsewhere.person("ada", verified=True)
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    ghost = uuid5(UUID(home.family_id), home.admin.member_id)
    forged = str(uuid5(UUID(home.family_id), f"invitation {ghost}"))
    file["records"]["Invitation"][0]["invitationId"] = forged
    before = await everything(elsewhere.db)
    with pytest.raises(Refused, match="the same record comes twice"):
        await moved(home, elsewhere, json.dumps(file).encode())
    assert await everything(elsewhere.db) == before


async def test_what_is_said_is_one_line_for_each_whatever_they_are_called(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    file = json.loads(await file_of(home))
    for each in file["records"]["Account"]:
        each["name"] = "Ada\n\x1b[2Jhomeshelf user reset-password somebody"
    said = await moved(home, elsewhere, json.dumps(file).encode())
    assert said
    assert all(line.isprintable() for line in said)


def test_a_file_of_any_size_is_not_read_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "LARGEST", 10)
    with pytest.raises(Refused, match="larger than any export"):
        read_file(b" " * 11, SLICES)


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"[]", b"\xff\xfe", b"[" * 100_000, b"{}"])
def test_what_is_no_export_is_refused(text: bytes) -> None:
    with pytest.raises(Refused, match="no export of Homeshelf's"):
        read_file(text, SLICES)


async def test_half_a_file_is_refused(home: Home, kid: Person) -> None:
    await furnished(home, kid)
    text = await file_of(home)
    with pytest.raises(Refused, match="only a part of one"):
        read_file(text[: len(text) // 2], SLICES)


async def test_of_two_files_with_the_same_person_one_waits(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    text = await file_of(home)
    file, other_id = json.loads(text), clock.new_id()
    file["records"].update(NFCUrl=[], WeekOfTaps=[])
    other = json.dumps(file).replace(home.family_id, other_id).encode()
    done = await asyncio.gather(
        moved(home, elsewhere, text), moved(home, elsewhere, other), return_exceptions=True
    )
    (late,) = (each for each in done if isinstance(each, BaseException))
    assert str(late) == "Another file is coming in: try again in half a minute."
    said = await moved(home, elsewhere, text if isinstance(done[0], BaseException) else other)
    assert sum("/join/" in line for line in said) == 2
    came = await account(elsewhere.db, home.admin.member_id)
    assert came is not None
    assert len(came.families) == 1
    for family_id in (home.family_id, other_id):
        family = await elsewhere.db.get(Family.key(family_id=family_id))
        assert family is not None
        assert family.admins == 1


class Away(Exception):
    pass


async def test_what_was_interrupted_goes_on_and_is_nobodys_until_then(
    home: Home, kid: Person, elsewhere: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await furnished(home, kid)
    text = await file_of(home)
    transact, turns = Database.transact, 0

    async def interrupted(self: Database, *writes: Any) -> None:
        nonlocal turns
        turns += 1
        if turns > 2:
            raise Away
        await transact(self, *writes)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "transact", interrupted)
        with pytest.raises(Away):
            await moved(home, elsewhere, text)
    assert await elsewhere.db.get(ImportMark.key(owner_id=home.family_id)) is not None
    assert await elsewhere.db.get(Family.key(family_id=home.family_id)) is None
    changed_since = json.loads(text)
    changed_since["records"]["Family"][0]["name"] = "Others"
    with pytest.raises(Refused, match="import that one again first"):
        await moved(home, elsewhere, json.dumps(changed_since).encode())
    await moved(home, elsewhere, text)
    assert await elsewhere.db.get(ImportMark.key(owner_id=home.family_id)) is None
    ada = await let_in(elsewhere, home.admin.member_id)
    items = (await ada.get("/items")).json()["items"]
    assert made["rice"]["itemId"] in [each["itemId"] for each in items]
    with pytest.raises(Refused, match="is here already"):
        await moved(home, elsewhere, text)


async def test_what_came_in_and_was_changed_since_is_not_gone_on_with(
    home: Home, kid: Person, elsewhere: RunningApp
) -> None:
    await furnished(home, kid)
    file = read_file(await file_of(home), SLICES)
    plan = await planned(elsewhere.db, SLICES, file, Family, {})
    await elsewhere.db.put(plan.mark)
    (item, *_) = (each for each in plan.records if isinstance(each, InventoryItem))
    await elsewhere.db.put(item.changed(quantity=77))
    with pytest.raises(Refused, match="was changed since"):
        await take_in(elsewhere.app.state.services, file)
    assert await elsewhere.db.get(item.own_key()) == item.changed(quantity=77)
    assert await elsewhere.db.get(Family.key(family_id=home.family_id)) is None


async def test_it_goes_out_as_it_came_in(home: Home, kid: Person, elsewhere: RunningApp) -> None:
    await with_what_comes_with_time(home, await furnished(home, kid))
    first = json.loads(await file_of(home))
    assert [name for name, records in first["records"].items() if not records] == []
    await moved(home, elsewhere)
    text, _ = await exported(elsewhere.db, SLICES, "family", home.family_id)
    again = json.loads(text)
    for name, records in first["records"].items():
        if name in ("Invitation", "SignInLink", "Account"):
            assert len(again["records"][name]) == len(records)
        else:
            assert sorted(map(str, again["records"][name])) == sorted(map(str, records)), name
