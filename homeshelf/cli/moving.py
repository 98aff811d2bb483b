"""Commands that back up, restore, copy, export and import data."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.command()
def backup(
    target: Annotated[
        str,
        typer.Argument(metavar="FILE|FOLDER/", help="Where to; in a folder, named by the date."),
    ],
    keep: Annotated[
        int | None, typer.Option(min=1, help="How many to keep in the folder; older ones go.")
    ] = None,
) -> None:
    """Copy the embedded database, also while Homeshelf runs, and read the copy back.

    \b
    Examples:
        homeshelf backup monday.db
        homeshelf backup copies/
        homeshelf backup /var/backups/homeshelf --keep 7

    A name that ends with a slash, and any name with --keep, is a folder; it is made where it is
    missing. The file holds everything, the signing key too: keep it as safe as the house.
    """
    from homeshelf.commands import moving as command

    command.backup(target, keep)


@commands.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    over: Annotated[
        bool, typer.Option("--over", help="In the place of what is there, which is kept beside it.")
    ] = False,
) -> None:
    """Go back to a backup. Homeshelf must not run, and everybody signs in again.

    \b
    Example:
        homeshelf restore /var/backups/homeshelf/homeshelf-20260301-031500.db

    Tags, invitations, removed members, roles and passwords are as they were then.
    """
    from homeshelf.commands import moving as command

    command.restore(file, over=over)


@commands.command()
def copy(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="The database to copy.")],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="Where to: a database with nothing in it.")
    ],
) -> None:
    """Copy everything from one database to another, of whichever kind, and compare both.

    \b
    Example:
        homeshelf copy --from sqlite:///data/homeshelf.db --to dynamodb://eu-central-1

    Stop Homeshelf first. A copy that was interrupted goes on where it was. It ends with 1 where
    the two differ, which means that something changed meanwhile.
    """
    from homeshelf.commands import moving as command

    raise typer.Exit(command.copy(source, target))


@commands.command()
def verify(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="One database.")],
    target: Annotated[str, typer.Option("--to", metavar="URL", help="The other one.")],
) -> None:
    """Compare two databases, kind by kind: how many records, and whether they are the same.

    \b
    Example:
        homeshelf verify --from sqlite:///data/homeshelf.db --to dynamodb://eu-central-1

    It ends with 1 where they differ, and with 0 otherwise.
    """
    from homeshelf.commands import moving as command

    raise typer.Exit(command.verify(source, target))


@commands.command("export")
def export_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that is not there yet.")],
    family: Annotated[
        str | None, typer.Option(metavar="ID", help="The familyId of a family.")
    ] = None,
    person: Annotated[
        str | None, typer.Option(metavar="EMAIL", help="The e-mail address of a person.")
    ] = None,
) -> None:
    """Write one family, or one person, into a file of JSON, without passwords and links.

    \b
    Examples:
        homeshelf export lovelaces.json --family 0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e
        homeshelf export ada.json --person ada@example.com

    The addresses of tags are in it, so that those on the shelves work elsewhere too.
    """
    from homeshelf.commands import files as command

    command.export(file, family, person)


@commands.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `homeshelf export` wrote.")],
) -> None:
    """Take in one family, or one person, from a file that `homeshelf export` wrote.

    \b
    Example:
        homeshelf import lovelaces.json

    Nothing that is here changes. It says how each of the people gets in. What was interrupted
    goes on with the same file.
    """
    from homeshelf.commands import files as command

    command.import_(file)


@commands.command()
def adopt(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do.")
    ] = False,
    issuer: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An identity provider that calls people by memberId."),
    ] = None,
) -> None:
    """Take over tables that another program filled, and make what Homeshelf needs beside them.

    \b
    Examples:
        homeshelf adopt --dry-run
        homeshelf adopt
        homeshelf adopt --issuer https://id.example

    Stop both programs first. It says what it will do, can be stopped at any moment, and does
    nothing when it is run again. With --issuer each member is whom that provider calls by their
    memberId; without it people come in by links of `homeshelf user reset-password --link`.
    """
    from homeshelf.commands import adopt as command

    command.adopt(issuer, dry_run=dry_run)
