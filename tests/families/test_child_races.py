"""Concurrent changes while a child's link is created or used."""

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


def services_with_interruption(home: Home, act: Callable[[], Awaitable[Any]]) -> Services:
    """Return services that run `act` before the first write."""
    services: Services = home.running.services
    beside = with_hook(home.running.db, before_first_transaction(act))
    return replace(services, db=beside.under(services.settings))


async def get_member(home: Home, person: Person) -> Member:
    found = await store.get_member(home.running.db, home.family_id, person.member_id)
    assert found is not None
    return found


async def test_removal_of_maker_during_sign_in_voids_the_link(home: Home, bob: Person) -> None:
    alva = await add_child(Home(home.running, home.family, bob))
    services = services_with_interruption(home, lambda: home.remove_member(bob))
    with pytest.raises(NotFound):
        await children.sign_in(services, "", token_in(alva), "a phone")
    assert not await home.running.db.all(Session.where(member_id=alva["memberId"]))


async def test_removal_of_child_during_sign_in_refuses_it(home: Home) -> None:
    alva = await add_child(home)
    path = f"/members/{alva['memberId']}"
    services = services_with_interruption(home, lambda: home.admin.delete(path))
    with pytest.raises(NotFound):
        await children.sign_in(services, "", token_in(alva), "a phone")
    assert (await home.admin.get(path)).json()["status"] == "removed"


async def test_concurrent_links_have_different_secrets(home: Home) -> None:
    alva = await add_child(home)
    made: list[dict[str, Any]] = []

    async def replace_link_again() -> None:
        made.append(await new_link(home, alva))

    services = services_with_interruption(home, replace_link_again)
    admin = await get_member(home, home.admin)
    key = Account.key(member_id=alva["memberId"])
    later = await children.replace_link(services.db, key, services, admin, end_others=False)
    assert (await tried(home.running, token_in(made[0]))).status_code == 404
    token = sign_in_link_token(services.signer, later)
    assert (await tried(home.running, token)).status_code == 200


async def test_concurrent_password_prevents_sign_in_link(home: Home) -> None:
    alva = await add_child(home)
    services = services_with_interruption(home, lambda: set_password(home, alva))
    admin = await get_member(home, home.admin)
    key = Account.key(member_id=alva["memberId"])
    with pytest.raises(InUse):
        await children.replace_link(services.db, key, services, admin, end_others=True)
    account = await account_of(home.running, alva)
    assert account.email == EMAIL
    assert await children.get_link(services.db, home.family_id, alva["memberId"]) is None


async def test_concurrent_password_prevents_another_address(home: Home) -> None:
    alva = await add_child(home)
    services = services_with_interruption(home, lambda: set_password(home, alva))
    admin, ada = await get_member(home, home.admin), home.admin.account
    key = Account.key(member_id=alva["memberId"])
    with pytest.raises(InUse):
        await children.give_email(services.db, key, ada, admin, "other@home.local")
    assert await children.get_pending_email(services.db, home.family_id, alva["memberId"]) is None


async def test_concurrently_replaced_address_is_not_used(home: Home) -> None:
    alva = await add_child(home)
    token = await give_address(home, alva, "typo@home.local")
    services = services_with_interruption(home, lambda: give_address(home, alva, EMAIL))
    with pytest.raises(NotFound):
        await reset_password(services, "", token, PASSWORD)
    assert (await account_of(home.running, alva)).is_child


async def test_removal_of_maker_during_reset_voids_the_address(home: Home, bob: Person) -> None:
    alva = await add_child(home)
    token = await give_address(Home(home.running, home.family, bob), alva, EMAIL)
    services = services_with_interruption(home, lambda: home.remove_member(bob))
    with pytest.raises(NotFound):
        await reset_password(services, "", token, PASSWORD)
    assert (await account_of(home.running, alva)).is_child


async def give_address(home: Home, alva: dict[str, Any], email: str) -> str:
    answer = await home.admin.post(f"/members/{alva['memberId']}/email", {"email": email})
    assert answer.status_code == 200, answer.text
    return token_in(answer.json())


async def set_password(home: Home, alva: dict[str, Any]) -> None:
    asked = {"token": await give_address(home, alva, EMAIL), "password": PASSWORD}
    used = await home.running.visitor().post("/passwords/reset", asked)
    assert used.status_code == 204, used.text
