import os

from homeshelf.accounts.model import Account
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import say
from homeshelf.config import read_settings
from homeshelf.identity import store
from homeshelf.identity.model import SUBJECT_LENGTH
from homeshelf.table import Database


def link(who: str, subject: str) -> None:
    issuer = read_settings(os.environ).oidc_issuer
    if issuer is None:
        raise CannotRun("Name the identity provider first, with HOMESHELF_OIDC_ISSUER.")
    if not 1 <= len(subject) <= SUBJECT_LENGTH:
        raise CannotRun(f"A sub has 1 to {SUBJECT_LENGTH} characters.")

    async def work(db: Database) -> Account | None:
        account = await store.account_meant(db, who, issuer, subject)
        return account and await store.link(db, account, issuer, subject)

    account = with_database(work)
    if account is None:
        raise CannotRun(f"There is no account with {who}.")
    say(f"{account.name} is who {issuer} calls {subject}.")
