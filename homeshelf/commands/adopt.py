"""The command `homeshelf adopt`, which takes over tables of another program."""

import asyncio
import os

import typer

from homeshelf.app import SLICES
from homeshelf.commands import CannotRun
from homeshelf.commands.terminal import print_line, progress_bar, read_option
from homeshelf.config import addresses, read_settings
from homeshelf.moving.adoption import AdoptionRun, Summary
from homeshelf.moving.copy_sides import connect, require_unused

MISSING = "Homeshelf needs this, which is not there yet:"
NOTHING = "Nothing is missing."
NOTED = "What you should know:"


def adopt(issuer: str | None, *, dry_run: bool) -> None:
    provider = None if issuer is None else read_option("--issuer", addresses.issuer, issuer)
    at = read_settings(os.environ).database
    if not dry_run:
        require_unused(at)

    async def work() -> None:
        async with connect(at) as end:
            if wrong := await end.db.engine.check_tables():
                raise CannotRun(f"{' '.join(wrong)} Run `homeshelf tables create` first.")
            await _carry_out(AdoptionRun(end.db, SLICES, provider), dry_run=dry_run)

    asyncio.run(work())


async def _carry_out(adopting: AdoptionRun, *, dry_run: bool) -> None:
    with progress_bar("Looking") as progress:
        found = await adopting.preview(progress)
    _print_summary(found)
    if dry_run or not found.made:
        return
    with progress_bar("Adopting") as progress:
        done = await adopting.apply(progress)
    for each in done.remarks:
        if each not in found.remarks:
            print_line(f"- {each}")
    typer.echo(f"{done.made.total():,} were made: it is all there.")


def _print_summary(found: Summary) -> None:
    typer.echo(MISSING if found.made else NOTHING)
    for what, count in found.made.items():
        typer.echo(f"{count:>9,} {what}")
    if found.remarks:
        typer.echo(NOTED)
    for each in found.remarks:
        print_line(f"- {each}")
