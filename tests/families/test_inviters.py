"""Invitations are void after their inviter loses the role."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import require_account
from homeshelf.errors import Forbidden, NotFound
from homeshelf.families import invitations, store
from homeshelf.families.invitations import invitation_letter
from homeshelf.families.messages import write_invitation
from homeshelf.families.model import Invitation, Member, parse_token
from homeshelf.table import Database
from tests.database_hooks import with_hook
from tests.home import Home, ids, new_home, token_in
from tests.moment import Moment
from tests.queues import do_what_is_due
from tests.running import PASSWORD, Person, RunningApp, problem_of, running_app

GONE = (404, "not_found")
Losing = Callable[[Home, Person], Awaitable[None]]


async def remove_inviter(home: Home, inviter: Person) -> None:
    await home.remove_member(inviter)


async def demote_inviter(home: Home, inviter: Person) -> None:
    await change_role(home, inviter, "suggester")


async def leave_family(_home: Home, inviter: Person) -> None:
    assert (await inviter.delete(f"/members/{inviter.member_id}")).status_code == 204


async def delete_account(_home: Home, inviter: Person) -> None:
    assert (await inviter.delete("/me", {"password": PASSWORD})).status_code == 204


LOSSES = [remove_inviter, demote_inviter, leave_family, delete_account]


@pytest.fixture
async def inviter(home: Home) -> Person:
    return await home.with_member("mallory", "admin")


@pytest.mark.parametrize("lose", LOSSES)
async def test_invitations_are_void_after_inviter_loses_the_role(
    home: Home, inviter: Person, lose: Losing
) -> None:
    spare = await home.running.person("spare", verified=True)
    made = await invite(inviter, spare.email, "admin")
    await lose(home, inviter)
    await assert_void(home, spare, made)
    assert ids(await home.admin.get("/invitations?status=revoked"), "invitationId") == [
        made["invitationId"]
    ]
    await home.let_in(spare, "suggester")


@pytest.mark.parametrize("lose", LOSSES)
async def test_invitation_is_void_before_it_is_revoked(
    home: Home, inviter: Person, lose: Losing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    spare = await home.running.person("spare", verified=True)
    made = await invite(inviter, spare.email, "admin")
    await lose(home, inviter)
    await assert_void(home, spare, made)
    assert (await get_invitation(home, made)).status == "pending"


@pytest.mark.parametrize("lose", LOSSES)
async def test_revocation_is_finished_after_a_crash(
    home: Home,
    inviter: Person,
    lose: Losing,
    monkeypatch: pytest.MonkeyPatch,
    moment: Moment,
) -> None:
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    made = await invite(inviter, "spare@home.local", "admin")
    await lose(home, inviter)
    moment.pass_by(60)
    while await do_what_is_due(home.running.db, home.running.todos):
        pass
    assert (await get_invitation(home, made)).status == "revoked"


async def test_more_invitations_than_a_transaction_holds_are_revoked(
    home: Home, inviter: Person
) -> None:
    made = [await invite(inviter, f"spare{number}@home.local") for number in range(60)]
    others = await home.invite("eve@home.local")
    await home.remove_member(inviter)
    assert {(await get_invitation(home, each)).status for each in made} == {"revoked"}
    assert (await get_invitation(home, others)).status == "pending"


async def test_new_admin_term_does_not_revive_invitations(
    home: Home, inviter: Person, monkeypatch: pytest.MonkeyPatch, moment: Moment
) -> None:
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    spare = await home.running.person("spare", verified=True)
    before = await invite(inviter, spare.email, "admin")
    await change_role(home, inviter, "suggester")
    await change_role(home, inviter, "admin")
    await assert_void(home, spare, before)
    await home.remove_member(inviter)
    await home.let_in(inviter, "admin")
    await assert_void(home, spare, before)
    after = await invite(inviter, "eve@home.local")
    moment.pass_by(60)
    while await do_what_is_due(home.running.db, home.running.todos):
        pass
    assert (await get_invitation(home, before)).status == "revoked"
    eve = await home.running.person("eve")
    assert (await accept(eve, after)).status_code == 200


async def test_old_member_without_term_does_not_revive_invitations(
    home: Home, inviter: Person
) -> None:
    spare = await home.running.person("spare", verified=True)
    made = await invite(inviter, spare.email, "admin")
    member = await get_membership(home, inviter)
    assert "term" not in member.item()
    as_before = member.changed(role="suggester", version=member.version + 1)
    await home.running.db.put(as_before)
    await assert_void(home, spare, made)
    await change_role(home, inviter, "admin")
    await assert_void(home, spare, made)


async def test_other_changes_of_admin_keep_invitations_valid(home: Home, inviter: Person) -> None:
    made = await invite(inviter, "eve@home.local")
    member = await home.member(inviter)
    change = {"name": "Mal", "version": member["version"]}
    assert (await home.admin.patch(f"/members/{inviter.member_id}", change)).status_code == 200
    eve = await home.running.person("eve")
    assert (await accept(eve, made)).status_code == 200


async def test_resending_makes_the_sender_the_inviter(home: Home, inviter: Person) -> None:
    made, other = [await invite(inviter, f"{name}@home.local") for name in ("eve", "bob")]
    mine = await resend(home.admin, made)
    assert mine["invitedBy"] == home.admin.member_id
    yours = await resend(inviter, await home.invite("carol@home.local"))
    await home.remove_member(inviter)
    eve = await home.running.person("eve")
    assert (await accept(eve, mine)).status_code == 200
    for dead in (other, yours):
        assert problem_of(await accept(await home.running.person("any"), dead)) == GONE


async def test_admin_demoted_during_request_cannot_invite(home: Home, inviter: Person) -> None:
    made = await invite(inviter, "spare@home.local")
    then = await get_membership(home, inviter)
    await home.remove_member(inviter)
    running = home.running.services
    account = await require_account(running.db, Account.key(member_id=inviter.member_id))
    eve = "eve@home.local"
    with pytest.raises(Forbidden):
        await invitations.invite(running.db, then, running, account, eve, "admin")
    await home.running.db.put(await reopen_invitation(home, made))
    key = invitations.invitation_key(home.family_id, made["invitationId"])
    with pytest.raises(Forbidden):
        await invitations.send_again(running.db, key, running, account, then)
    await home.let_in(inviter, "admin")
    with pytest.raises(Forbidden):
        await invitations.invite(running.db, then, running, account, eve, "admin")


async def test_concurrent_removal_and_acceptance_are_ordered(home: Home) -> None:
    for round_ in range(6):
        mallory = await home.with_member(f"mallory{round_}", "admin")
        spare = await home.running.person(f"spare{round_}")
        made = await invite(mallory, spare.email, "admin")
        answer, _ = await asyncio.gather(accept(spare, made), home.remove_member(mallory))
        status = (await get_invitation(home, made)).status
        assert (answer.status_code, status) in {(200, "accepted"), (404, "revoked")}


@pytest.mark.parametrize("lose", LOSSES)
async def test_removal_during_acceptance_refuses_it(
    home: Home, inviter: Person, lose: Losing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    spare = await home.running.person("spare", verified=True)
    made = await invite(inviter, spare.email, "admin")
    engine = home.running.db.engine
    transact = engine.transact

    async def demote_before_commit(writes: Any) -> None:
        monkeypatch.setattr(engine, "transact", transact)
        await lose(home, inviter)
        await transact(writes)

    monkeypatch.setattr(engine, "transact", demote_before_commit)
    assert problem_of(await accept(spare, made)) == GONE
    await assert_void(home, spare, made)


async def test_person_removed_during_acceptance_stays_removed(home: Home, inviter: Person) -> None:
    made = await invite(inviter, "spare@home.local", "admin")
    ticket, looks = parse_token(token_in(made)), 0
    assert ticket is not None

    async def remove(moment: str, operation: str) -> None:
        nonlocal looks
        looks += (moment, operation) == ("after", "get")
        if looks == 3:  # the account, the invitation and its inviter
            looks += 1
            await home.remove_member(inviter)

    with pytest.raises(NotFound):
        await invitations.accept(with_hook(home.running.db, remove), inviter.member_id, ticket)
    assert looks == 5
    assert (await home.member(inviter))["status"] == "removed"


async def test_inviter_cannot_accept_own_invitation(home: Home, inviter: Person) -> None:
    made = await invite(inviter, "spare@home.local", "admin")
    assert problem_of(await accept(inviter, made)) == (409, "duplicate")
    assert (await get_invitation(home, made)).status == "pending"


@pytest.mark.parametrize("by_link", [True, False])
async def test_void_invitation_does_not_allow_sign_up(
    database: Database, by_link: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    async with running_app(database, signup="invited") as running:
        home = await new_home(running, "Lovelace", "ada")
        mallory = await home.with_member("mallory", "admin")
        made = await invite(mallory, "spare@home.local")
        email = "other@home.local" if by_link else "spare@home.local"
        await home.remove_member(mallory)
        assert await sign_up(running, made, email, by_link) == 403
        alive = await home.invite("eve@home.local")
        email = "another@home.local" if by_link else "eve@home.local"
        assert await sign_up(running, alive, email, by_link) in (201, 303)


async def test_offered_invitation_list_has_full_pages(running: RunningApp) -> None:
    eve = await running.person("eve", verified=True)
    alive = set()
    for number in range(6):
        home = await new_home(running, f"Family {number}", f"ada{number}")
        mallory = await home.with_member(f"mallory{number}", "admin")
        made = await invite(mallory, eve.email)
        if number % 2:
            alive.add(made["invitationId"])
        else:
            member = await get_membership(home, mallory)
            await running.db.put(member.remove(clock.timestamp()))
    first = await eve.get("/invitations/mine?limit=2")
    assert len(ids(first, "invitationId")) == 2
    rest = await eve.get(f"/invitations/mine?limit=2&nextToken={first.json()['nextToken']}")
    assert {*ids(first, "invitationId"), *ids(rest, "invitationId")} == alive


async def test_void_invitation_is_not_mailed(home: Home, inviter: Person) -> None:
    made = await invite(inviter, "eve@home.local")
    letter = invitation_letter(await get_invitation(home, made))
    running = home.running.services
    assert await write_invitation(running, letter) is not None
    await home.remove_member(inviter)
    await home.running.db.put(await reopen_invitation(home, made))
    assert await write_invitation(running, letter) is None


async def assert_void(home: Home, person: Person, made: dict[str, Any]) -> None:
    """Check that the invitation cannot be listed, accepted or used for sign-up."""
    token, invitation_id = token_in(made), made["invitationId"]
    for verb in ("accept", "decline"):
        for body in ({"token": token}, {"invitationId": invitation_id}):
            assert problem_of(await person.post(f"/invitations/{verb}", body)) == GONE
        page = await person.client.post(f"/join/{token}/{verb}", headers=SAME)
        assert page.status_code == 404
    assert (await person.get("/invitations/mine")).json() == {"items": []}
    ticket = parse_token(token)
    assert ticket is not None
    unknown = token[:-4] + ("AAAA" if not token.endswith("AAAA") else "BBBB")
    visitor = home.running.visitor()
    pages = [await visitor.client.get(f"/join/{each}", headers=HTML) for each in (token, unknown)]
    assert [page.status_code for page in pages] == [404, 404]
    assert pages[0].text.replace(token, unknown) == pages[1].text
    assert problem_of(await person.get("/family")) == (403, "no_family")


HTML = {"accept": "text/html"}
SAME = HTML | {"sec-fetch-site": "same-origin"}


async def invite(admin: Person, email: str, role: str = "suggester") -> dict[str, Any]:
    answer = await admin.post("/invitations", {"email": email, "role": role})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def resend(admin: Person, made: dict[str, Any]) -> dict[str, Any]:
    answer = await admin.post(f"/invitations/{made['invitationId']}/resend")
    assert answer.status_code == 200, answer.text
    sent: dict[str, Any] = answer.json()
    return sent


async def accept(person: Person, made: dict[str, Any]) -> Any:
    return await person.post("/invitations/accept", {"token": token_in(made)})


async def change_role(home: Home, person: Person, role: str) -> None:
    change = {"role": role, "version": (await home.member(person))["version"]}
    answer = await home.admin.patch(f"/members/{person.member_id}", change)
    assert answer.status_code == 200, answer.text


async def sign_up(running: RunningApp, made: dict[str, Any], email: str, by_link: bool) -> int:
    asked = {"email": email, "password": PASSWORD, "name": "Spare"}
    if by_link:
        path = f"/sign-up?next=/join/{token_in(made)}"
        page = await running.visitor().client.post(path, data=asked, headers=SAME)
        return page.status_code
    return (await running.visitor().post("/accounts", asked)).status_code


async def get_invitation(home: Home, made: dict[str, Any]) -> Invitation:
    found = await store.get_invitation(home.running.db, home.family_id, made["invitationId"])
    assert found is not None
    return found


async def reopen_invitation(home: Home, made: dict[str, Any]) -> Invitation:
    """Return the invitation as it was before the revocation."""
    return (await get_invitation(home, made)).changed(status="pending")


async def get_membership(home: Home, person: Person) -> Member:
    found = await store.get_member(home.running.db, home.family_id, person.member_id)
    assert found is not None
    return found


async def crash(*_: object) -> None:
    """Fail instead of finishing the to-do."""
