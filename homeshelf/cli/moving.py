"""Commands that back up, restore, copy, export and import data."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.command()
def backup(
    target: Annotated[str, typer.Argument(metavar="FILE|FOLDER/", help="A file, or a folder.")],
    keep: Annotated[int | None, typer.Option(min=1, help="Backups to keep in the folder.")] = None,
) -> None:
    """Back up the embedded database, even while Homeshelf runs, and verify the copy.

    \b
    Examples:
        homeshelf backup monday.db
        homeshelf backup copies/
        homeshelf backup /var/backups/homeshelf --keep 7

    A name that ends with a slash, and any name with --keep, is a folder; it is created if it is
    missing. The file holds everything, including the signing key: keep it safe.
    """
    from homeshelf.commands import moving as command

    command.backup(target, keep)


@commands.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    over: Annotated[bool, typer.Option("--over", help="Replace existing data.")] = False,
) -> None:
    """Restore a backup. Stop Homeshelf first; everyone has to sign in again.

    \b
    Example:
        homeshelf restore /var/backups/homeshelf/homeshelf-20260301-031500.db

    Tags, invitations, members, roles and passwords return to their state at the backup. With
    --over, existing data is kept beside the database.
    """
    from homeshelf.commands import moving as command

    command.restore(file, over=over)


@commands.command()
def copy(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="The database to copy.")],
    target: Annotated[str, typer.Option("--to", metavar="URL", help="An empty database.")],
) -> None:
    """Copy all data from one database to another, of any kind, and compare both.

    \b
    Example:
        homeshelf copy --from sqlite:///data/homeshelf.db --to dynamodb://eu-central-1

    Stop Homeshelf first. An interrupted copy continues where it stopped. The exit code is 1 if
    the two differ, which means that something changed meanwhile.
    """
    from homeshelf.commands import moving as command

    raise typer.Exit(command.copy(source, target))


@commands.command()
def verify(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="One database.")],
    target: Annotated[str, typer.Option("--to", metavar="URL", help="The other one.")],
) -> None:
    """Compare the number and content of the records in two databases, kind by kind.

    \b
    Example:
        homeshelf verify --from sqlite:///data/homeshelf.db --to dynamodb://eu-central-1

    The exit code is 1 if they differ, and 0 otherwise.
    """
    from homeshelf.commands import moving as command

    raise typer.Exit(command.verify(source, target))


@commands.command("export")
def export_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
    family: Annotated[str | None, typer.Option(metavar="ID", help="The familyId.")] = None,
    person: Annotated[str | None, typer.Option(metavar="EMAIL", help="The e-mail address.")] = None,
) -> None:
    """Export one family, or one person, to a JSON file without passwords and links.

    \b
    Examples:
        homeshelf export lovelaces.json --family 0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e
        homeshelf export ada.json --person ada@example.com

    The file has the addresses of tags, so that existing tags work elsewhere too.
    """
    from homeshelf.commands import files as command

    command.export(file, family, person)


@commands.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that `homeshelf export` wrote.")
    ],
) -> None:
    """Import one family, or one person, from a file that `homeshelf export` wrote.

    \b
    Example:
        homeshelf import lovelaces.json

    Existing data does not change. It prints how each person can sign in. To resume an interrupted
    import, run it again with the same file.
    """
    from homeshelf.commands import files as command

    command.import_(file)


@commands.command()
def adopt(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the changes.")] = False,
    issuer: Annotated[
        str | None, typer.Option(metavar="URL", help="A provider whose subjects are memberIds.")
    ] = None,
) -> None:
    """Adopt the tables of another program, and add the records that Homeshelf needs.

    \b
    Examples:
        homeshelf adopt --dry-run
        homeshelf adopt
        homeshelf adopt --issuer https://id.example

    Stop both programs first. It lists its work, can be stopped at any moment, and changes nothing
    when it is run again. With --issuer members sign in with that provider, whose subjects are
    their memberIds; without it they use links of `homeshelf user reset-password --link`.
    """
    from homeshelf.commands import adopt as command

    command.adopt(issuer, dry_run=dry_run)
