import pytest

from homeshelf.accounts import tokens
from homeshelf.accounts.passwords import (
    COMMON,
    PERSONAL,
    hash_password_blocking,
    is_common,
    is_personal,
)
from tests.running import PASSWORD, RunningApp, busy_hashing_threads, problem_of

WRONG = (400, "validation")

FIRST = """
    password Password1 P@ssw0rd! p@ssw0rd123 passwordpassword iloveyou ILoveYou2 monkey123
    welcome123 letmein1 trustno1 princess1 sunshine football1 summer2024! Passwort1 contraseña
    homeshelf HomeShelf2024! 12345678 87654321 1234567890 123123123 11111111 11223344 12341234
    aaaaaaaa abababab abcd1234 abc12345 qwertyuiop qwertzuiop azertyuiop qwerty123 asdfghjkl
    1q2w3e4r zaq12wsx 1qaz2wsx qazwsxedc 147258369 !@#$%^&*
"""
THEIRS = """
    ada.lovelace Ada12345 lovelace1815! adalovelace @d@lovel@ce ada.lovelace@home.local
    home.local1
"""


@pytest.mark.parametrize("password", FIRST.split())
def test_common_passwords_are_detected(password: str) -> None:
    assert is_common(password)


@pytest.mark.parametrize(
    "password",
    [
        PASSWORD,
        "homeshelf demo",
        "a new password",
        "coffee banana winter",
        "tr0ub4dor&3",
        "x2kd8fj3",
        "19900412",
        "  spaces  ",
        "Пароль мой длинный",
        "verysecret",
        "x" * 20 + "y2kd8fj3",
    ],
)
def test_uncommon_passwords_are_accepted(password: str) -> None:
    assert not is_common(password)


@pytest.mark.parametrize("password", THEIRS.split())
def test_password_from_name_or_address_is_detected(password: str) -> None:
    assert is_personal(password, "Ada.Lovelace@home.local", "Ada Lovelace")
    assert not is_personal(password, "eve@example.org", "Eve")


@pytest.mark.parametrize("name", ["A", "李", "42", "", "?!"])
def test_short_name_forbids_no_password(name: str) -> None:
    assert not is_personal("12345678!", "a@b", name)
    assert not is_personal(PASSWORD, "a@b", name)


@pytest.mark.parametrize(("password", "sentence"), [("Password1!", COMMON), ("ada12345", PERSONAL)])
async def test_api_refuses_weak_password(running: RunningApp, password: str, sentence: str) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    link = {"token": tokens.reset_token(running.signer, ada.account), "password": password}
    new = {"email": "ada@elsewhere.local", "name": "Ada", "password": password}
    change = {"password": password, "currentPassword": PASSWORD}
    async with busy_hashing_threads(running):
        for answer in (
            await visitor.post("/accounts", new),
            await ada.patch("/me", change),
            await visitor.post("/passwords/reset", link),
        ):
            assert problem_of(answer) == WRONG
            assert answer.json()["errors"] == [{"field": "password", "message": sentence}]
    signed_in = {"email": ada.email, "password": PASSWORD}
    assert (await visitor.post("/tokens", signed_in)).status_code == 200
    assert (await visitor.post("/passwords/reset", link | {"password": "a new one"})).is_success


async def test_common_password_error_is_listed_with_other_errors(running: RunningApp) -> None:
    answer = await running.visitor().post("/accounts", {"password": "12345678", "name": ""})
    fields = [error["field"] for error in answer.json()["errors"]]
    assert sorted(fields) == ["email", "name", "password"]


@pytest.mark.parametrize(("password", "sentence"), [("Password1!", COMMON), ("ada12345", PERSONAL)])
async def test_pages_show_weak_password_error_beside_field(
    running: RunningApp, password: str, sentence: str
) -> None:
    ada = await running.person("ada")
    ours = {"Origin": "http://home.test"}
    token = tokens.reset_token(running.signer, ada.account)
    new = {"email": "ada@elsewhere.local", "name": "Ada", "password": password}
    change = {"password": password, "currentPassword": PASSWORD}
    for path, form in (
        ("/sign-up", new),
        (f"/reset/{token}", {"password": password}),
        ("/settings/password", change),
    ):
        answer = await ada.client.post(path, data=form, headers=ours)
        assert answer.status_code == 400
        assert f'id="password-wrong">{sentence}</p>' in answer.text


async def test_existing_common_password_still_signs_in(running: RunningApp) -> None:
    ada = await running.person("ada")
    before = ada.account.changed(password_hash=hash_password_blocking("password"))
    await running.db.put(before)
    known = {"email": ada.email, "password": "password"}
    assert (await running.visitor().post("/tokens", known)).status_code == 200
