"""`homeshelf tables`: make, list and check the tables."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import typer

from homeshelf.config import read_settings
from homeshelf.table import Database
from homeshelf.table.opening import open_database

app = typer.Typer(no_args_is_help=True, help="Make, list and check the tables.")
T = TypeVar("T")


@app.command()
def create() -> None:
    """Make the tables that are missing. Doing it again changes nothing."""
    made = with_database(lambda db: db.engine.create_tables())
    typer.echo("\n".join(f"Made {name}." for name in made) or "All tables are there.")


@app.command("list")
def list_() -> None:
    """Name the tables that are there."""
    found = with_database(lambda db: db.engine.list_tables())
    typer.echo("\n".join(found) or "There are no tables yet: homeshelf tables create makes them.")


@app.command()
def check() -> None:
    """Compare the tables with what this version needs, and say what differs."""
    differences = with_database(lambda db: db.engine.check_tables())
    typer.echo("\n".join(differences) or "The tables are as they should be.")
    if differences:
        raise typer.Exit(1)


def with_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """Open the database that the settings name, do some work and close it."""

    async def run() -> T:
        db = open_database(read_settings(os.environ).database)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())
