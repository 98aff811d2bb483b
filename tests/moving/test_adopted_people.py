"""Test that people of adopted tables can sign in, and strangers cannot."""

from homeshelf.accounts import tokens
from homeshelf.accounts.model import Account, IdentityClaim
from homeshelf.accounts.store import get_account
from homeshelf.table import Database
from tests.home import Home, ids
from tests.identity.issuer import open_issuer
from tests.identity.people import present_token
from tests.moving.foreign_tables import (
    EMMA,
    FAMILY,
    INVITATION,
    INVITED,
    JOHN,
    JOHNS_ADDRESS,
    OTHER_FAMILY,
    TIM,
    adopt,
    family_record,
    house,
    import_time,
    john,
    member,
    smiths,
    write_raw,
)
from tests.running import PASSWORD, RunningApp, Visitor, problem_of, running_app

__all__ = ["house", "import_time", "john"]


async def test_stranger_is_in_no_adopted_family(house: RunningApp) -> None:
    eve = await house.person("eve")
    assert (await eve.get("/me")).json()["families"] == []
    assert problem_of(await eve.get("/items", headers={"X-Family-Id": FAMILY}))[0] in (403, 404)


async def test_sign_up_with_adopted_address_returns_409(house: RunningApp) -> None:
    wanted = {"email": JOHNS_ADDRESS.lower(), "password": PASSWORD, "name": "John"}
    assert problem_of(await house.visitor().post("/accounts", wanted)) == (409, "duplicate")


async def test_adopted_admin_resets_password_once_and_sees_the_family(house: RunningApp) -> None:
    found = await get_account(house.db, JOHN)
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


async def test_child_without_address_signs_in_by_admins_link(
    house: RunningApp, john: Visitor
) -> None:
    link = (await john.post(f"/members/{TIM}/sign-in-link")).json()["link"]
    tim = house.visitor()
    path = "/sign-in-link/" + link.rpartition("/")[2]
    assert (await tim.client.get(path)).status_code == 200
    signed_in = await tim.client.post(path, headers={"Origin": str(tim.client.base_url)})
    assert signed_in.status_code == 303
    assert "Paper Towels" in (await tim.client.get("/stock")).text


async def test_last_adopted_admin_cannot_become_a_child(john: Visitor) -> None:
    alone = await john.patch(f"/members/{JOHN}", {"role": "suggester", "version": 1})
    assert problem_of(alone) == (409, "last_admin")
    other = await john.patch(f"/members/{EMMA}", {"role": "admin", "version": 1})
    assert other.status_code == 200, other.text
    goes = await john.patch(f"/members/{JOHN}", {"role": "suggester", "version": 1})
    assert goes.status_code == 200, goes.text


async def test_adopted_invitation_is_resent_and_accepted(house: RunningApp, john: Visitor) -> None:
    twice = await john.post("/invitations", {"email": INVITED.upper(), "role": "suggester"})
    assert problem_of(twice) == (409, "duplicate")
    again = await john.post(f"/invitations/{INVITATION}/resend")
    assert again.status_code == 200, again.text
    gran = await house.person("gran")
    token = again.json()["link"].rpartition("/")[2]
    assert (await gran.post("/invitations/accept", {"token": token})).status_code == 200
    assert [each["role"] for each in (await gran.get("/me")).json()["families"]] == ["admin"]


async def test_member_of_two_families_gets_one_account(database: Database) -> None:
    other = [
        family_record(OTHER_FAMILY, "Doe", by=JOHN),
        member(OTHER_FAMILY, JOHN, "John Smith", "admin", JOHNS_ADDRESS),
    ]
    await write_raw(database, [*smiths(), *other])
    await adopt(database)
    found = await get_account(database, JOHN)
    assert found is not None
    assert sorted(found.families) == sorted([FAMILY, OTHER_FAMILY])


async def test_second_adoption_with_issuer_links_the_account(database: Database) -> None:
    issuer = "https://id.example"
    await write_raw(database, smiths())
    await adopt(database)
    claim = IdentityClaim.key_of(issuer, JOHN)
    assert await database.get(claim) is None
    john = await get_account(database, JOHN)
    assert john is not None
    assert (john.issuer, john.origin, john.password_hash) == (None, "password", None)
    await adopt(database, issuer)
    held = await database.get(claim)
    linked = await get_account(database, JOHN)
    assert held is not None
    assert linked is not None
    assert (held.holder, linked.is_linked_to(issuer, JOHN), linked.needs_provider) == (
        JOHN,
        True,
        True,
    )
    assert (await adopt(database, issuer)).made.total() == 0


async def test_adoption_with_issuer_links_every_account(database: Database) -> None:
    issuer = "https://id.example"
    await write_raw(database, smiths())
    await adopt(database, issuer)
    for each in (JOHN, EMMA, TIM):
        found = await database.get(Account.key(member_id=each))
        assert found is not None
        assert found.is_linked_to(issuer, each)
        assert found.origin == "provider"


async def test_provider_token_with_member_id_opens_the_family(database: Database) -> None:
    await write_raw(database, smiths())
    async with open_issuer() as issuer:
        await adopt(database, issuer.url)
        async with running_app(database, **issuer.settings) as running:
            emma = present_token(running, issuer, sub=EMMA, email="emma@smith.example")
            home = {"familyId": FAMILY, "name": "Smith", "role": "suggester"}
            assert (await emma.get("/me")).json()["families"] == [home]
            eve = present_token(running, issuer, sub=OTHER_FAMILY, email=JOHNS_ADDRESS)
            assert (await eve.get("/me")).json()["families"] == []


async def test_adoption_without_issuer_rejects_provider_tokens(database: Database) -> None:
    await write_raw(database, smiths())
    await adopt(database)
    async with (
        open_issuer() as issuer,
        running_app(database, **issuer.settings) as running,
    ):
        eve = present_token(running, issuer, sub=JOHN, email=JOHNS_ADDRESS)
        assert problem_of(await eve.get("/me")) == (401, "unauthenticated")


async def test_account_with_password_gets_a_remark_and_no_identity_claim(home: Home) -> None:
    issuer = "https://id.example"
    said = (await adopt(home.running.db, issuer)).remarks
    assert any(home.admin.member_id in each for each in said)
    assert await home.running.db.get(IdentityClaim.key_of(issuer, home.admin.member_id)) is None


async def test_existing_account_keeps_its_address(database: Database) -> None:
    async with running_app(database) as running:
        wanted = {"email": JOHNS_ADDRESS, "password": PASSWORD, "name": "John"}
        assert (await running.visitor().post("/accounts", wanted)).status_code == 201
        await write_raw(database, smiths())
        said = "\n".join((await adopt(database)).remarks)
        assert f"Somebody else here has the address {JOHNS_ADDRESS}" in said
        signed_in = {"email": JOHNS_ADDRESS, "password": PASSWORD}
        assert (await running.visitor().post("/tokens", signed_in)).status_code == 200
