"""The database of a command."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

from homeshelf.config import read_settings
from homeshelf.table import Database
from homeshelf.table.opening import open_database

T = TypeVar("T")


def with_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """Open the database that the settings name, do some work and close it."""

    async def run() -> T:
        db = open_database(read_settings(os.environ).database)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())
