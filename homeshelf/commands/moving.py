"""The commands `homeshelf backup`, `restore`, `copy` and `verify`."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import typer

from homeshelf.accounts.model import Session
from homeshelf.commands import CannotRun
from homeshelf.commands.terminal import progress_bar, read_option
from homeshelf.config import Settings, SqliteAt, addresses, read_settings
from homeshelf.coordination.signing_keys import key_file
from homeshelf.moving.backup import back_up
from homeshelf.moving.comparison import Comparison, compare
from homeshelf.moving.copy_sides import connect, require_unused
from homeshelf.moving.database_copy import copy_database, create_target
from homeshelf.moving.restore import restore as restore_file
from homeshelf.table.sqlite.copies import Progress

AS_THEN = (
    "Tags, invitations, sign-in links, removed members, roles and passwords are as they were then: "
    "look through them."
)
WITHOUT_CHECKSUMS = (
    "It has no checksums, as backups of earlier versions: a record that changed on the disk would "
    "not have been noticed."
)


def backup(target: str, keep: int | None) -> None:
    settings = read_settings(os.environ)
    database = _embedded(settings, "`homeshelf copy` copies it into a file")
    with progress_bar("Copying") as progress:
        into_folder = keep is not None or target.endswith(os.sep)  # a Path would drop it
        made = back_up(
            database, key_file(settings), Path(target), keep, progress, into_folder=into_folder
        )
    key = " and the signing key" if made.has_key else ""
    typer.echo(f"{made.file} has {made.records:,} records{key}, and was read back.")
    for each in made.removed:
        typer.echo(f"Removed {each}.")


def restore(backup: Path, *, over: bool) -> None:
    settings = read_settings(os.environ)
    database = _embedded(settings, "`homeshelf copy` fills other tables from a file")
    with progress_bar("Restoring") as progress:
        done = restore_file(
            backup, database, key_file(settings), progress, over=over, without=[Session]
        )
    typer.echo(f"{database} is {backup} again, with {done.records:,} records.")
    if not done.had_checksums:
        typer.echo(WITHOUT_CHECKSUMS)
    typer.echo(f"{AS_THEN} Everybody signs in again.")
    for each in done.kept:
        typer.echo(f"What was there before is {each}: delete it when all is well.")


def copy(source: str, target: str) -> int:
    """Copy, and return 1 if the databases differ afterwards."""
    source_at = read_option("--from", addresses.database, source)
    target_at = read_option("--to", addresses.database, target)
    require_unused(source_at)
    require_unused(target_at)

    async def work(progress: Progress) -> list[Comparison]:
        async with connect(source_at, to_read=True) as one:
            await create_target(one, target_at)
            async with connect(target_at, new=True) as other:
                return await copy_database(one, other, progress)

    with progress_bar("Copying and comparing") as progress:
        compared = asyncio.run(work(progress))
    differs = _print_comparison(compared, only_differences=True)
    again = "Something changed meanwhile: stop Homeshelf, and run this again."
    typer.echo(again if differs else "All of it is there, and nobody has to sign in again.")
    return differs


def verify(source: str, target: str) -> int:
    """Return 1 if the databases differ."""
    source_at = read_option("--from", addresses.database, source)
    target_at = read_option("--to", addresses.database, target)

    async def work(progress: Progress) -> list[Comparison]:
        async with connect(source_at, to_read=True) as one, connect(target_at, to_read=True) as two:
            return await compare(one, two, progress)

    with progress_bar("Comparing") as progress:
        compared = asyncio.run(work(progress))
    differs = _print_comparison(compared)
    typer.echo("They differ." if differs else "They are the same.")
    return differs


def _print_comparison(compared: Sequence[Comparison], *, only_differences: bool = False) -> int:
    for each in compared:
        if not each.is_same:
            counts = f"{each.source.count:,} and {each.target.count:,}"
            typer.echo(f"DIFFERS {each.kind}: {counts}")
        elif not only_differences:
            typer.echo(f"same    {each.kind}: {each.source.count:,}")
    return int(any(not each.is_same for each in compared))


def _embedded(settings: Settings, instead: str) -> Path:
    if not isinstance(settings.database, SqliteAt):
        raise CannotRun(
            f"This is for the embedded database. On DynamoDB, point-in-time recovery does it, and "
            f"{instead}."
        )
    return settings.database.path
