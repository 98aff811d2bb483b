"""`homeshelf user reset-password --link`: a way in for somebody who has no password yet."""

import os

import typer

from homeshelf.accounts import tokens
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import say
from homeshelf.commands.user import meant, taking_address
from homeshelf.config import read_settings
from homeshelf.table import Database
from homeshelf.web.services import open_services

HOURS = tokens.SHOWN_RESET_SECONDS // 3600


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
