"""`homeshelf user`: accounts without the web, for the person who runs the machine."""

import os

import typer

from homeshelf import clock
from homeshelf.accounts import passwords, store, tokens
from homeshelf.accounts.bodies import NewPasswordForm, SignUp
from homeshelf.accounts.messages import password_changed_writes
from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import checked, read_secret, say
from homeshelf.config import read_settings
from homeshelf.table import Database, Write
from homeshelf.web.ids import is_id
from homeshelf.web.services import open_services

HOURS = tokens.SHOWN_RESET_SECONDS // 3600


def create(email: str, name: str, *, from_stdin: bool) -> None:
    password = read_secret("password", from_stdin=from_stdin)
    wanted = checked(SignUp, email=email, name=name, password=password)
    _require_not_own(wanted.email, wanted.name, password)

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
    say(f"{wanted.name} can sign in now with {wanted.email}.")


def reset_password(who: str, *, from_stdin: bool) -> None:
    """Of an address, or of an id: somebody who came in from a file has no address of theirs yet."""
    # The password alone is checked: the account may have an address that no new one may have.
    typed = read_secret("password", from_stdin=from_stdin)
    password = checked(NewPasswordForm, password=typed).password
    settings = read_settings(os.environ)

    async def work(db: Database) -> Account:
        account = await meant(db, who)
        _require_not_own(account.email, account.name, password)
        password_hash = passwords.hashed_now(password)
        return await store.begin_era(
            db,
            account.member_id,
            lambda old: old.revised(clock.timestamp()).with_password(password_hash),
            *await taking_address(db, account),
            *password_changed_writes(settings, account),
        )

    account = with_database(work)
    say(f"{account.name} has a new password, and is signed out everywhere.")


def show_reset_link(who: str) -> None:
    settings = read_settings(os.environ)
    if settings.oidc_issuer is not None:
        raise CannotRun(f"People sign in with {settings.oidc_issuer} here, not with a password.")

    async def work(db: Database) -> tuple[str, str]:
        services = await open_services(settings, db)
        account = await meant(db, who)
        await db.transact(*await taking_address(db, account))
        return account.name, tokens.reset_token(services.signer, account, shown=True)

    name, token = with_database(work)
    say(f"{name} sets a password with this, once, within {HOURS} hours:")
    typer.echo(f"{settings.public_url or ''}/reset/{token}")
    if settings.public_url is None:
        typer.echo("Put the address of your Homeshelf before it: HOMESHELF_PUBLIC_URL is unset.")


async def meant(db: Database, who: str) -> Account:
    """Who has an address to sign in with, by that or by their id."""
    by_id = is_id(who)
    account = await (store.account(db, who.lower()) if by_id else store.account_with_email(db, who))
    if account is None:
        raise CannotRun(f"There is no account with {who}; `homeshelf user create` makes one.")
    if by_id and account.needs_provider:
        raise CannotRun(f"{account.name} signs in with an identity provider, not with a password.")
    if by_id and (account.is_child or not account.email):
        raise CannotRun(f"{account.name} has no e-mail address to sign in with.")
    return account


async def taking_address(db: Database, account: Account) -> list[Write]:
    """What makes the address of somebody who came in from a file theirs, where it is not yet."""
    claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
    held = await db.get(claim.own_key())
    if held is not None and held.holder != account.member_id:
        raise CannotRun(f"Another account has the address {account.email}: invite that person.")
    return [] if held else [claim.take()]


def _require_not_own(email: str, name: str, password: str) -> None:
    if passwords.is_own(password, email, name):
        raise CannotRun(passwords.OWN)
