"""The tables of the database."""

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.command()
def create() -> None:
    """Make the tables that are missing. Doing it again changes nothing.

    \b
    Example:
        HOMESHELF_DATABASE=dynamodb://eu-central-1 homeshelf tables create
    """
    from homeshelf.commands import database as command

    command.create()


@commands.command("list")
def list_() -> None:
    """Name the tables that are there.

    \b
    Example:
        homeshelf tables list
    """
    from homeshelf.commands import database as command

    command.list_()


@commands.command()
def check() -> None:
    """Compare the tables with what this version needs, and say what differs.

    \b
    Example:
        homeshelf tables check && homeshelf serve
    """
    from homeshelf.commands import database as command

    raise typer.Exit(command.check())
