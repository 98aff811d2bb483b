"""Database access for commands, and the commands `homeshelf tables`."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import typer

from homeshelf.config import read_settings
from homeshelf.table import Database, open_database

T = TypeVar("T")


def with_database(work: Callable[[Database], Awaitable[T]], *, upgrade: bool = False) -> T:
    async def run() -> T:
        db = open_database(read_settings(os.environ).database, upgrade=upgrade)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())


def create() -> None:
    made = with_database(lambda db: db.engine.create_tables())
    typer.echo("\n".join(f"Made {name}." for name in made) or "All tables are there.")


def list_() -> None:
    found = with_database(lambda db: db.engine.list_tables())
    typer.echo("\n".join(found) or "There are no tables yet: homeshelf tables create makes them.")


def check() -> int:
    """Return 1 if a table differs."""
    differences = with_database(lambda db: db.engine.check_tables())
    typer.echo("\n".join(differences) or "The tables are as they should be.")
    return int(bool(differences))
