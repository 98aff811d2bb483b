"""Sign-in links of children."""

import asyncio

import pytest

from homeshelf.accounts import store as accounts
from homeshelf.accounts.addresses import PendingAddress
from homeshelf.accounts.model import Session
from homeshelf.config.values import Rate
from homeshelf.coordination.changes import changes_since
from homeshelf.errors import NotFound
from homeshelf.families import children
from homeshelf.families.links import SignInLink, sign_in_link_token
from homeshelf.families.model import Member
from homeshelf.signing import encoded
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import (
    Home,
    account_of,
    add_child,
    ended_streams,
    new_home,
    new_link,
    signed_in,
    token_in,
    tried,
)
from tests.moment import Moment
from tests.running import SETTINGS, Person, RunningApp, problem_of, running_app

GONE = (404, "not_found")
SIGNED_OUT = (401, "unauthenticated")
HOUR = 3600


async def test_strangers_cannot_create_sign_in_links(
    home: Home, kid: Person, neighbour: Person, gone: Person
) -> None:
    alva = await add_child(home)
    noah = await signed_in(home.running, token_in(await add_child(home, "Noah")))
    path = f"/members/{alva['memberId']}/sign-in-link"
    for stranger, refusal in (
        (home.running.visitor(), SIGNED_OUT),
        (neighbour, GONE),
        (gone, (403, "no_family")),
        (kid, (403, "forbidden")),
        (noah, (403, "forbidden")),
    ):
        assert problem_of(await stranger.post(path)) == refusal
    assert (await tried(home.running, token_in(alva))).status_code == 200, "still the first one"


async def test_sign_in_link_works_once(home: Home) -> None:
    token = token_in(await add_child(home))
    phone = await signed_in(home.running, token)
    assert problem_of(await tried(home.running, token)) == GONE
    assert (await phone.get("/me")).status_code == 200


async def test_malformed_sign_in_link_is_refused(home: Home) -> None:
    token = token_in(await add_child(home))
    for other in ("A", "AAAA", "no link", token[:-1], token[:-4], f"{token}A", f"{token}AAAA"):
        assert problem_of(await tried(home.running, other)) == GONE, other
    assert (await tried(home.running, token)).status_code == 200


async def test_sign_in_link_is_shown_only_to_its_family(home: Home, running: RunningApp) -> None:
    alva, other = await add_child(home), await new_home(running, "Hopper", "grace")
    found = await children.get_link(running.db, home.family_id, alva["memberId"])
    assert found is not None
    assert await children.get_link(running.db, other.family_id, alva["memberId"]) is None


async def test_concurrent_uses_of_sign_in_link_admit_one_device(
    home: Home, open_another: Opener
) -> None:
    alva = await add_child(home)
    asked = {"token": token_in(alva)}
    async with running_app(open_another()) as there, running_app(open_another()) as far:
        houses = (home.running, there, far) * 3
        answers = await asyncio.gather(
            *(house.visitor().post("/tokens/link", asked) for house in houses)
        )
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 8
    found = await home.running.db.all(Session.where(member_id=alva["memberId"]))
    assert len(found) == 1


async def test_sign_in_link_expires_after_an_hour(home: Home, moment: Moment) -> None:
    alva = await add_child(home)
    assert alva["linkExpiresAt"] == "2024-11-01T13:00:00.000Z"
    moment.pass_by(HOUR)
    assert problem_of(await tried(home.running, token_in(alva))) == GONE
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    token = token_in(await new_link(home, alva))
    moment.pass_by(HOUR - 1)
    assert (await tried(home.running, token)).status_code == 200


async def test_sign_in_link_lifetime_is_a_setting(database: Database, moment: Moment) -> None:
    assert SETTINGS.sign_in_link_minutes == 60
    async with running_app(database, sign_in_link_minutes=2) as running:
        home = await new_home(running, "Lovelace", "ada")
        alva = await add_child(home)
        assert alva["linkExpiresAt"] == "2024-11-01T12:02:00.000Z"
        moment.pass_by(120)
        assert problem_of(await tried(running, token_in(alva))) == GONE


async def test_new_link_replaces_the_former_and_keeps_devices(home: Home) -> None:
    alva = await add_child(home)
    phone = await signed_in(home.running, token_in(alva))
    first = await new_link(home, alva)
    second = await new_link(home, alva)
    assert problem_of(await tried(home.running, token_in(first))) == GONE
    tablet = await signed_in(home.running, token_in(second))
    for device in (phone, tablet):
        assert (await device.get("/family")).status_code == 200


async def test_new_link_with_end_others_signs_out_devices(home: Home) -> None:
    alva = await add_child(home)
    phone = await signed_in(home.running, token_in(alva))
    assert await ended_streams(home, alva) == 0
    link = await new_link(home, alva, endOthers=True)
    assert await ended_streams(home, alva) == 1
    assert problem_of(await phone.get("/me")) == SIGNED_OUT
    tablet = await signed_in(home.running, token_in(link))
    assert (await tablet.get("/family")).status_code == 200
    assert await children.child_devices(home.running.db, home.family_id, alva["memberId"])


async def test_invalid_end_others_returns_error(home: Home) -> None:
    alva = await add_child(home)
    path = f"/members/{alva['memberId']}/sign-in-link"
    answer = await home.admin.post(path, {"endOthers": "yes"})
    assert problem_of(answer) == (400, "validation")
    assert answer.json()["errors"][0]["field"] == "endOthers"


async def test_removing_a_child_ends_devices_and_link(home: Home) -> None:
    alva = await add_child(home)
    phone = await signed_in(home.running, token_in(alva))
    token = token_in(await new_link(home, alva))
    assert (await home.admin.delete(f"/members/{alva['memberId']}")).status_code == 204
    assert problem_of(await tried(home.running, token)) == GONE
    assert problem_of(await phone.get("/me")) == SIGNED_OUT
    assert (await account_of(home.running, alva)).families == ()


async def test_using_a_new_link_brings_removed_child_back(home: Home) -> None:
    alva = await add_child(home, picture="🦊")
    path = f"/members/{alva['memberId']}"
    await home.admin.delete(path)
    token = token_in(await new_link(home, alva))
    assert (await home.admin.get(path)).json()["status"] == "removed"
    phone = await signed_in(home.running, token)
    back = (await phone.get(path)).json()
    assert (back["status"], back["role"], back["picture"]) == ("active", "suggester", "🦊")
    (family,) = (await phone.get("/me")).json()["families"]
    assert family["familyId"] == home.family_id


async def test_removing_a_child_again_voids_the_new_link(home: Home) -> None:
    alva = await add_child(home)
    path = f"/members/{alva['memberId']}"
    await home.admin.delete(path)
    token = token_in(await new_link(home, alva))
    assert (await home.admin.delete(path)).status_code == 204
    assert problem_of(await tried(home.running, token)) == GONE
    assert (await home.admin.get(path)).json()["status"] == "removed"


@pytest.mark.parametrize("how", ["removed", "demoted", "left", "admin again"])
async def test_sign_in_link_is_void_after_its_maker_loses_the_role(home: Home, how: str) -> None:
    bob = await home.with_member("bob", "admin")
    token = token_in(await add_child(Home(home.running, home.family, bob)))
    change = {"role": "suggester", "version": (await home.member(bob))["version"]}
    if how == "removed":
        await home.remove_member(bob)
    elif how == "left":
        await bob.delete(f"/members/{bob.member_id}")
    else:
        assert (await home.admin.patch(f"/members/{bob.member_id}", change)).status_code == 200
    if how == "admin again":
        again = {"role": "admin", "version": change["version"] + 1}
        assert (await home.admin.patch(f"/members/{bob.member_id}", again)).status_code == 200
    assert problem_of(await tried(home.running, token)) == GONE


async def test_forged_sign_in_link_is_refused(home: Home, neighbour: Person) -> None:
    alva = await add_child(home)
    raw, member_id = token_in(alva), alva["memberId"].replace("-", "")
    other = token_in((await neighbour.post("/members", {"name": "Eve"})).json())
    secret_of_other = encoded(bytes.fromhex(member_id)) + other[22:]
    for token in ("", "x", raw[:-1], f"{raw}A", raw[:-4] + "AAAA", raw.swapcase(), secret_of_other):
        status, _code = problem_of(await tried(home.running, token))
        assert status == (404 if token else 400), token
    assert (await tried(home.running, raw)).status_code == 200


async def test_used_or_future_link_secrets_are_refused(home: Home) -> None:
    alva = await add_child(home)
    await signed_in(home.running, token_in(alva))
    db, key = home.running.db, SignInLink.key(member_id=alva["memberId"])
    kept = await db.get(key)
    assert kept is not None
    assert kept.secret_hash is None
    for number in range(1, 5):
        token = sign_in_link_token(home.running.signer, kept.changed(number=number))
        assert problem_of(await tried(home.running, token)) == GONE


async def test_database_contains_no_link_secret(home: Home) -> None:
    alva = await add_child(home)
    found = await home.running.db.get(SignInLink.key(member_id=alva["memberId"]))
    assert found is not None
    assert token_in(alva)[22:] not in str(found.item())


async def test_sign_in_link_attempts_per_address_are_limited(database: Database) -> None:
    assert SETTINGS.limit_links == Rate(30, 900)
    async with running_app(database, limit_links=Rate(2, 900)) as running:
        home = await new_home(running, "Lovelace", "ada")
        token = token_in(await add_child(home))
        for _ in range(2):
            assert problem_of(await tried(running, "x")) == GONE
        assert problem_of(await tried(running, token)) == (429, "rate_limited")
        elsewhere = running.visitor("198.51.100.1")
        assert (await elsewhere.post("/tokens/link", {"token": token})).status_code == 200


async def test_sign_in_link_is_refused_for_adult(home: Home, kid: Person) -> None:
    for person in (kid, home.admin):
        answer = await home.admin.post(f"/members/{person.member_id}/sign-in-link")
        assert problem_of(answer) == (409, "in_use")
    await home.remove_member(kid)
    answer = await home.admin.post(f"/members/{kid.member_id}/sign-in-link")
    assert problem_of(answer) == (409, "in_use")


async def test_sign_in_link_is_refused_for_member_of_two_families(
    home: Home, neighbour: Person
) -> None:
    alva = await add_child(home)
    there = (await neighbour.get("/family")).json()["familyId"]
    account = await account_of(home.running, alva)
    await home.running.db.put(account.changed(families=(home.family_id, there)))
    answer = await home.admin.post(f"/members/{alva['memberId']}/sign-in-link")
    assert problem_of(answer) == (409, "in_use")


async def test_sign_in_link_is_refused_for_admin(home: Home) -> None:
    alva = await add_child(home)
    db = home.running.db
    member = await db.get(Member.key(family_id=home.family_id, member_id=alva["memberId"]))
    assert member is not None
    await db.put(member.changed(role="admin"))
    answer = await home.admin.post(f"/members/{alva['memberId']}/sign-in-link")
    assert problem_of(answer) == (409, "in_use")


async def test_repeated_link_request_returns_the_same_link(home: Home) -> None:
    asked = {"name": "Alva"}
    first = await home.admin.post("/members", asked, key="k")
    again = await home.admin.post("/members", asked, key="k")
    assert (again.status_code, again.json()) == (201, first.json())
    path = f"/members/{first.json()['memberId']}/sign-in-link"
    first = await home.admin.post(path, key="k")
    again = await home.admin.post(path, key="k")
    assert (again.status_code, again.json()) == (200, first.json())
    assert (await tried(home.running, token_in(again.json()))).status_code == 200


async def test_concurrent_links_of_two_admins_leave_one_valid(
    home: Home, open_another: Opener
) -> None:
    alva = await add_child(home)
    bob = await home.with_member("bob", "admin")
    path = f"/api/v1/members/{alva['memberId']}/sign-in-link"
    async with running_app(open_another()) as there:
        headers = {"Authorization": bob.client.headers["Authorization"]}
        answers = await asyncio.gather(
            home.admin.client.post(path),
            there.visitor().client.post(path, headers=headers),
            home.admin.client.post(path),
        )
    tokens = {token_in(answer.json()) for answer in answers}
    assert len(tokens) == 3
    used = [(await tried(home.running, token)).status_code for token in sorted(tokens)]
    assert sorted(used) == [200, 404, 404]


async def test_session_from_link_is_prolonged_by_use(running: RunningApp, moment: Moment) -> None:
    home = await new_home(running, "Lovelace", "ada")
    pair = (await tried(running, token_in(await add_child(home)))).json()
    for _ in range(6):
        moment.pass_by(50 * 24 * HOUR)
        asked = {"refreshToken": pair["refreshToken"]}
        answer = await running.visitor().post("/tokens/refresh", asked)
        assert answer.status_code == 200, answer.text
        pair = answer.json()
    moment.pass_by(61 * 24 * HOUR)
    asked = {"refreshToken": pair["refreshToken"]}
    assert problem_of(await running.visitor().post("/tokens/refresh", asked)) == SIGNED_OUT


async def test_admin_lists_and_signs_out_devices_of_a_child(home: Home, neighbour: Person) -> None:
    db, alva = home.running.db, await add_child(home)
    phone = await signed_in(home.running, token_in(alva))
    tablet = await signed_in(home.running, token_in(await new_link(home, alva)))
    latest, first = await children.child_devices(db, home.family_id, alva["memberId"])
    assert latest.created_at >= first.created_at
    there = (await neighbour.get("/family")).json()["familyId"]
    for family_id, member_id in (
        (there, alva["memberId"]),
        (home.family_id, home.admin.member_id),
        (there, neighbour.member_id),
    ):
        with pytest.raises(NotFound):
            await children.child_devices(db, family_id, member_id)
        with pytest.raises(NotFound):
            await children.end_child_session(db, family_id, member_id, first.session_id)
    await children.end_child_session(db, home.family_id, alva["memberId"], first.session_id)
    assert problem_of(await phone.get("/me")) == SIGNED_OUT
    assert (await tablet.get("/me")).status_code == 200


async def test_links_and_devices_of_a_child_are_announced(home: Home) -> None:
    db, alva = home.running.db, await add_child(home)

    async def count_member_changes() -> int:
        changes = await changes_since(db, home.family_id, None)
        return sum((each.type, each.id) == ("Member", alva["memberId"]) for each in changes)

    assert await count_member_changes() == 1
    await signed_in(home.running, token_in(alva))
    assert await count_member_changes() == 2
    await new_link(home, alva)
    assert await count_member_changes() == 3
    (device,) = await children.child_devices(db, home.family_id, alva["memberId"])
    await children.end_child_session(db, home.family_id, alva["memberId"], device.session_id)
    assert await count_member_changes() == 4


async def test_account_deletion_deletes_removed_child_too(home: Home) -> None:
    db, alva = home.running.db, await add_child(home)
    phone = await signed_in(home.running, token_in(alva))
    assert (await phone.post("/books", {"title": "Notes"})).status_code == 201
    member_id = alva["memberId"]
    given = {"email": "alva@home.local"}
    assert (await home.admin.post(f"/members/{member_id}/email", given)).status_code == 200
    goodbye = {"password": home.admin.password}
    assert problem_of(await home.admin.delete("/me", goodbye)) == (409, "last_admin")
    await home.admin.delete(f"/members/{member_id}")
    token = token_in(await new_link(home, alva))
    assert (await home.admin.delete("/me", goodbye)).status_code == 204
    assert problem_of(await tried(home.running, token)) == GONE
    assert await accounts.get_account(db, member_id) is None
    assert await db.get(SignInLink.key(member_id=member_id)) is None
    assert await db.get(PendingAddress.key(member_id=member_id)) is None
    assert not await db.all(Session.where(member_id=member_id))
