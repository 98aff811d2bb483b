"""What changes between reading and writing counts: a link is never worth more than it was."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.signing_in import reset_password
from homeshelf.errors import InUse, NotFound
from homeshelf.families import children, store
from homeshelf.families.links import sign_in_link_token
from homeshelf.families.model import Member
from homeshelf.web.services import Services
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import Home, account_of, add_child, new_link, token_in, tried
from tests.running import Person

EMAIL = "alva@home.local"
PASSWORD = "four words of hers"


@pytest.fixture
async def bob(home: Home) -> Person:
    return await home.with_member("bob", "admin")


def interrupted(home: Home, act: Callable[[], Awaitable[Any]]) -> Services:
    """What the application has, where something happens before the first write."""
    services: Services = home.running.services
    beside = with_hook(home.running.db, before_first_transaction(act))
    return replace(services, db=beside.under(services.settings))


async def member_of(home: Home, person: Person) -> Member:
    found = await store.get_member(home.running.db, home.family_id, person.member_id)
    assert found is not None
    return found


async def test_a_maker_who_is_removed_meanwhile_lets_nobody_in(home: Home, bob: Person) -> None:
    alva = await add_child(Home(home.running, home.family, bob))
    services = interrupted(home, lambda: home.send_away(bob))
    with pytest.raises(NotFound):
        await children.sign_in(services, "", token_in(alva), "a phone")
    assert not await home.running.db.all(Session.where(member_id=alva["memberId"]))


async def test_a_child_who_is_removed_meanwhile_is_not_let_in(home: Home) -> None:
    alva = await add_child(home)
    path = f"/members/{alva['memberId']}"
    services = interrupted(home, lambda: home.admin.delete(path))
    with pytest.raises(NotFound):
        await children.sign_in(services, "", token_in(alva), "a phone")
    assert (await home.admin.get(path)).json()["status"] == "removed"


async def test_of_two_links_at_once_the_later_is_another(home: Home) -> None:
    alva = await add_child(home)
    made: list[dict[str, Any]] = []

    async def make_another() -> None:
        made.append(await new_link(home, alva))

    services = interrupted(home, make_another)
    admin = await member_of(home, home.admin)
    key = Account.key(member_id=alva["memberId"])
    later = await children.replace_link(services.db, key, services, admin, end_others=False)
    assert (await tried(home.running, token_in(made[0]))).status_code == 404
    token = sign_in_link_token(services.signer, later)
    assert (await tried(home.running, token)).status_code == 200


async def test_who_gets_a_password_meanwhile_gets_no_link(home: Home) -> None:
    alva = await add_child(home)
    services = interrupted(home, lambda: grow_up(home, alva))
    admin = await member_of(home, home.admin)
    key = Account.key(member_id=alva["memberId"])
    with pytest.raises(InUse):
        await children.replace_link(services.db, key, services, admin, end_others=True)
    account = await account_of(home.running, alva)
    assert account.email == EMAIL
    assert await children.get_link(services.db, home.family_id, alva["memberId"]) is None


async def test_who_gets_a_password_meanwhile_gets_no_other_address(home: Home) -> None:
    alva = await add_child(home)
    services = interrupted(home, lambda: grow_up(home, alva))
    admin, ada = await member_of(home, home.admin), home.admin.account
    key = Account.key(member_id=alva["memberId"])
    with pytest.raises(InUse):
        await children.give_email(services.db, key, ada, admin, "other@home.local")
    assert await children.get_pending_address(services.db, home.family_id, alva["memberId"]) is None


async def test_an_address_that_is_replaced_meanwhile_is_not_taken(home: Home) -> None:
    alva = await add_child(home)
    token = await give(home, alva, "typo@home.local")
    services = interrupted(home, lambda: give(home, alva, EMAIL))
    with pytest.raises(NotFound):
        await reset_password(services, "", token, PASSWORD)
    assert (await account_of(home.running, alva)).is_child


async def test_an_address_whose_maker_is_removed_meanwhile_is_not_taken(
    home: Home, bob: Person
) -> None:
    alva = await add_child(home)
    token = await give(Home(home.running, home.family, bob), alva, EMAIL)
    services = interrupted(home, lambda: home.send_away(bob))
    with pytest.raises(NotFound):
        await reset_password(services, "", token, PASSWORD)
    assert (await account_of(home.running, alva)).is_child


async def give(home: Home, alva: dict[str, Any], email: str) -> str:
    answer = await home.admin.post(f"/members/{alva['memberId']}/email", {"email": email})
    assert answer.status_code == 200, answer.text
    return token_in(answer.json())


async def grow_up(home: Home, alva: dict[str, Any]) -> None:
    asked = {"token": await give(home, alva, EMAIL), "password": PASSWORD}
    used = await home.running.visitor().post("/passwords/reset", asked)
    assert used.status_code == 204, used.text
