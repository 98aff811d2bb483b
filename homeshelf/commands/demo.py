"""The command `homeshelf demo`, which fills a household to look around in."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import typer

from homeshelf import logs
from homeshelf.accounts import store as accounts
from homeshelf.app import create_app
from homeshelf.config import read_settings
from homeshelf.demo.household import (
    FAMILY,
    NEIGHBOUR,
    PASSWORD,
    PEOPLE,
    create_households,
    email_of,
)
from homeshelf.web.services import services_of


def furnish_demo(folder: Path) -> None:
    # These override the settings, so that the household's own data is never touched.
    own = {"HOMESHELF_DATA_DIR": str(folder), "HOMESHELF_DATABASE": ""}
    settings = replace(read_settings({**os.environ, **own}), signup="open")
    logs.configure("warning")

    async def run() -> bool:
        app = create_app(settings)
        async with app.router.lifespan_context(app):
            first = email_of(next(iter(PEOPLE)))
            if await accounts.get_account_by_email(services_of(app).db, first) is not None:
                return False
            await create_households(app)
            return True

    new = asyncio.run(run())
    typer.echo(f"{FAMILY} {'have moved into' if new else 'live in'} {folder}. Sign in as one of:")
    for name, role in PEOPLE.items():
        typer.echo(f"    {email_of(name)} ({role})")
    typer.echo(f"    {email_of(NEIGHBOUR)} (next door, has just moved in)")
    typer.echo(f"The password is: {PASSWORD}")
