"""`homeshelf user`: who has an account, and who is kept out or signed out."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import typer

from homeshelf.accounts import store
from homeshelf.accounts.model import Account, Session
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import say
from homeshelf.controls import printable
from homeshelf.families.model import Family
from homeshelf.table import HELPER, Database, key_in
from homeshelf.web.ids import is_id

TITLES = ("ADDRESS", "NAME", "FAMILIES", "LAST SEEN", "STATE", "MEMBERID")
NOTHING = "-"


@dataclass(frozen=True)
class Listed:
    account: Account
    last_seen: str | None
    families: Sequence[str]

    @property
    def row(self) -> tuple[str, ...]:
        account = self.account
        said = (
            account.email,
            account.name,
            ", ".join(self.families),
            self.last_seen or "",
            "disabled" if account.is_disabled else "enabled",
            account.member_id,
        )
        return tuple(printable(text) or NOTHING for text in said)


def list_() -> None:
    found = with_database(everybody)
    rows = [TITLES, *(each.row for each in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        typer.echo("  ".join(padded).rstrip())


async def everybody(db: Database) -> list[Listed]:
    """By address, in one reading of the helper table: nothing else lists accounts."""
    accounts: list[Account] = []
    seen: dict[str, str] = {}
    async for page in db.scan(HELPER):
        for item in page.items:
            key = key_in(HELPER, item)
            with suppress(ValueError):  # `homeshelf doctor` names what cannot be read
                if Account.stands_at(key):
                    accounts.append(Account.load(item))
                elif Session.stands_at(key):
                    session = Session.load(item)
                    day = session.last_used_at[:10]
                    seen[session.member_id] = max(day, seen.get(session.member_id, ""))
    accounts.sort(key=lambda each: (not each.email, each.email.lower(), each.name, each.member_id))
    return [
        Listed(each, seen.get(each.member_id), await _families_of(db, each)) for each in accounts
    ]


async def _families_of(db: Database, account: Account) -> list[str]:
    found = await db.get_existing(Family.key(family_id=id_) for id_ in account.families)
    return [each.name for each in found]


def disable(who: str) -> None:
    account = _changed(who, store.disable)
    say(f"{account.name} is signed out everywhere, and nothing lets them in.")


def enable(who: str) -> None:
    account = _changed(who, store.enable)
    say(f"{account.name} can sign in again.")


def sign_out(who: str) -> None:
    account = _changed(who, store.sign_out_everywhere)
    say(f"{account.name} is signed out everywhere.")


def _changed(who: str, change: Callable[[Database, str], Awaitable[Account]]) -> Account:
    async def work(db: Database) -> Account | None:
        account = await (
            store.account(db, who.lower()) if is_id(who) else store.account_with_email(db, who)
        )
        return None if account is None else await change(db, account.member_id)

    account = with_database(work)
    if account is None:
        raise CannotRun(f"There is no account with {who}; `homeshelf user list` lists them.")
    return account
