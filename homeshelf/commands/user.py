"""`homeshelf user`: accounts without the web, for the person who runs the machine."""

import sys

import typer
from pydantic import ValidationError

from homeshelf import clock
from homeshelf.accounts import passwords, store
from homeshelf.accounts.bodies import SignUp
from homeshelf.accounts.model import Account
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.table import Database


def create(email: str, name: str, *, from_stdin: bool) -> None:
    wanted = _checked(email, name, _password(from_stdin))

    async def work(db: Database) -> None:
        at = clock.timestamp()
        new = Account(
            member_id=clock.new_id(),
            email=wanted.email,
            name=wanted.name,
            password_hash=passwords.hashed_now(wanted.password),
            origin="password",
            created_at=at,
            updated_at=at,
        )
        await store.open_account(db, new)

    with_database(work)
    typer.echo(f"{wanted.name} can sign in now with {wanted.email}.")


def reset_password(email: str, *, from_stdin: bool) -> None:
    password = _password(from_stdin)

    async def work(db: Database) -> Account | None:
        account = await store.account_with_email(db, email)
        if account is None:
            return None
        password_hash = passwords.hashed_now(_checked(email, account.name, password).password)
        return await store.begin_era(
            db,
            account.member_id,
            lambda old: old.revised(clock.timestamp()).with_password(password_hash),
        )

    account = with_database(work)
    if account is None:
        raise CannotRun(f"Nobody has an account with {email}; `homeshelf user create` makes one.")
    typer.echo(f"{account.name} has a new password, and is signed out everywhere.")


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise CannotRun("Nobody is there to type a password: pipe one in with --password-stdin.")
    typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt="Once more")
    return typed


def _checked(email: str, name: str, password: str) -> SignUp:
    try:
        wanted = SignUp.model_validate({"email": email, "name": name, "password": password})
    except ValidationError as wrong:
        raise CannotRun(" ".join(error["msg"] for error in wrong.errors())) from None
    if passwords.is_own(wanted.password, wanted.email, wanted.name):
        raise CannotRun(passwords.OWN)
    return wanted
