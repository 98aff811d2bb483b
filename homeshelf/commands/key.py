"""The command `homeshelf key rotate`."""

import os

import typer

from homeshelf import clock
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.config import read_settings
from homeshelf.coordination.signing_keys import keys_of, replace_keys
from homeshelf.keyring import LEAD_SECONDS, OVERLAP_SECONDS
from homeshelf.table import Database

DAYS = OVERLAP_SECONDS // (24 * 3600)


def rotate(*, at_once: bool) -> None:
    settings = read_settings(os.environ)
    if settings.secret is not None:
        raise CannotRun(
            "HOMESHELF_SECRET signs here: put it into HOMESHELF_SECRET_BEFORE, a new one in its "
            "place, and restart."
        )

    async def work(db: Database) -> bool:
        old = await keys_of(settings, db)
        new = old.rotate(clock.seconds(), at_once=at_once)
        return await replace_keys(settings, db, old, new)

    if not with_database(work):
        raise CannotRun("Another process has just changed the signing key; try again.")
    if at_once:
        typer.echo("A new key signs. What the others have signed is void within a minute.")
    else:
        typer.echo(f"A new key signs in {LEAD_SECONDS} seconds. The one before counts {DAYS} days.")
