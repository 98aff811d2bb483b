"""The commands `homeshelf user`, for the admin of the machine."""

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

import typer

from homeshelf import clock
from homeshelf.accounts import passwords, store, tokens
from homeshelf.accounts.bodies import NewPasswordForm, SignUp
from homeshelf.accounts.messages import password_changed_writes
from homeshelf.accounts.model import Account, EmailClaim, Session, digest_of_email
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import print_line, read_secret, validate
from homeshelf.config import read_settings
from homeshelf.controls import printable
from homeshelf.families.model import Family
from homeshelf.identity import store as identities
from homeshelf.identity.model import SUBJECT_LENGTH
from homeshelf.table import HELPER, Database, Key, Write, key_in
from homeshelf.web.ids import is_id
from homeshelf.web.services import open_services

HOURS = tokens.SHOWN_RESET_SECONDS // 3600
TITLES = ("ADDRESS", "NAME", "FAMILIES", "LAST SEEN", "STATE", "MEMBERID")


def create(email: str, name: str, *, from_stdin: bool) -> None:
    password = read_secret("password", from_stdin=from_stdin)
    wanted = validate(SignUp, email=email, name=name, password=password)
    _require_not_own(wanted.email, wanted.name, password)

    async def work(db: Database) -> None:
        at = clock.timestamp()
        new = Account(
            member_id=clock.new_id(),
            email=wanted.email,
            name=wanted.name,
            password_hash=passwords.hash_password_blocking(wanted.password),
            origin="password",
            created_at=at,
            updated_at=at,
        )
        await store.create_account(db, new)

    with_database(work)
    print_line(f"{wanted.name} can sign in now with {wanted.email}.")


def reset_password(who: str, *, from_stdin: bool) -> None:
    # Only the password is validated: an existing address may break the rules for new ones.
    typed = read_secret("password", from_stdin=from_stdin)
    password = validate(NewPasswordForm, password=typed).password
    settings = read_settings(os.environ)

    async def work(db: Database) -> Account:
        account = await _account_with_password(db, who)
        _require_not_own(account.email, account.name, password)
        password_hash = passwords.hash_password_blocking(password)
        return await store.end_all_sessions(
            db,
            account.own_key(),
            lambda old: old.revised(clock.timestamp()).with_password(password_hash),
            *await _missing_claim(db, account),
            *password_changed_writes(settings, account),
        )

    account = with_database(work)
    print_line(f"{account.name} has a new password, and is signed out everywhere.")


def show_reset_link(who: str) -> None:
    settings = read_settings(os.environ)
    if settings.oidc_issuer is not None:
        raise CannotRun(f"People sign in with {settings.oidc_issuer} here, not with a password.")

    async def work(db: Database) -> tuple[str, str]:
        services = await open_services(settings, db)
        account = await _account_with_password(db, who)
        await db.transact(*await _missing_claim(db, account))
        return account.name, tokens.reset_token(services.signer, account, shown=True)

    name, token = with_database(work)
    print_line(f"{name} sets a password with this, once, within {HOURS} hours:")
    typer.echo(f"{settings.public_url or ''}/reset/{token}")
    if settings.public_url is None:
        typer.echo("Put the address of your Homeshelf before it: HOMESHELF_PUBLIC_URL is unset.")


def link(who: str, subject: str) -> None:
    issuer = read_settings(os.environ).oidc_issuer
    if issuer is None:
        raise CannotRun("Name the identity provider first, with HOMESHELF_OIDC_ISSUER.")
    if not 1 <= len(subject) <= SUBJECT_LENGTH:
        raise CannotRun(f"A sub has 1 to {SUBJECT_LENGTH} characters.")

    async def work(db: Database) -> Account | None:
        account = await identities.find_account(db, who, issuer, subject)
        return account and await identities.link_account(db, account, issuer, subject)

    account = with_database(work)
    if account is None:
        raise CannotRun(f"There is no account with {who}.")
    print_line(f"{account.name} is who {issuer} calls {subject}.")


def list_() -> None:
    rows = [TITLES, *with_database(_rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        typer.echo("  ".join(padded).rstrip())


async def _rows(db: Database) -> list[tuple[str, ...]]:
    """Return a row for each account, by address; only a scan finds all accounts."""
    accounts: list[Account] = []
    seen: dict[str, str] = {}
    async for page in db.scan(HELPER):
        for item in page.items:
            key = key_in(HELPER, item)
            with suppress(ValueError):  # `homeshelf doctor` reports unreadable records
                if Account.matches_key(key):
                    accounts.append(Account.load(item))
                elif Session.matches_key(key):
                    session = Session.load(item)
                    day = session.last_used_at[:10]
                    seen[session.member_id] = max(day, seen.get(session.member_id, ""))
    accounts.sort(key=lambda each: (not each.email, each.email.lower(), each.name, each.member_id))
    rows = []
    for account in accounts:
        found = await db.get_existing(Family.key(family_id=id_) for id_ in account.families)
        row = (
            account.email,
            account.name,
            ", ".join(family.name for family in found),
            seen.get(account.member_id, ""),
            "disabled" if account.is_disabled else "enabled",
            account.member_id,
        )
        rows.append(tuple(printable(text) or "-" for text in row))
    return rows


def disable(who: str) -> None:
    account = _change_account(who, store.disable)
    print_line(f"{account.name} is signed out everywhere, and nothing lets them in.")


def enable(who: str) -> None:
    account = _change_account(who, store.enable)
    print_line(f"{account.name} can sign in again.")


def sign_out(who: str) -> None:
    account = _change_account(who, store.sign_out_everywhere)
    print_line(f"{account.name} is signed out everywhere.")


def _change_account(
    who: str, change: Callable[[Database, Key[Account]], Awaitable[Account]]
) -> Account:
    async def work(db: Database) -> Account:
        if account := await _find_account(db, who):
            return await change(db, account.own_key())
        raise CannotRun(f"There is no account with {who}; `homeshelf user list` lists them.")

    return with_database(work)


async def _find_account(db: Database, who: str) -> Account | None:
    if is_id(who):
        return await store.get_account(db, who.lower())
    return await store.get_account_by_email(db, who)


async def _account_with_password(db: Database, who: str) -> Account:
    account = await _find_account(db, who)
    if account is None:
        raise CannotRun(f"There is no account with {who}; `homeshelf user create` makes one.")
    if is_id(who) and account.needs_provider:
        raise CannotRun(f"{account.name} signs in with an identity provider, not with a password.")
    if is_id(who) and (account.is_child or not account.email):
        raise CannotRun(f"{account.name} has no e-mail address to sign in with.")
    return account


async def _missing_claim(db: Database, account: Account) -> list[Write]:
    """Return the claim of an imported account's address, unless it exists."""
    claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
    held = await db.get(claim.own_key())
    if held is not None and held.holder != account.member_id:
        raise CannotRun(f"Another account has the address {account.email}: invite that person.")
    return [] if held else [claim.take()]


def _require_not_own(email: str, name: str, password: str) -> None:
    if passwords.is_personal(password, email, name):
        raise CannotRun(passwords.PERSONAL)
