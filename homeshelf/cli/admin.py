"""Commands for the tables, the signing key and shared lists."""

from typing import Annotated

import typer

tables = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
key = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
share = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@tables.command()
def create() -> None:
    """Make the tables that are missing. Doing it again changes nothing.

    \b
    Example:
        HOMESHELF_DATABASE=dynamodb://eu-central-1 homeshelf tables create
    """
    from homeshelf.commands import database as command

    command.create()


@tables.command("list")
def list_() -> None:
    """Name the tables that are there.

    \b
    Example:
        homeshelf tables list
    """
    from homeshelf.commands import database as command

    command.list_()


@tables.command()
def check() -> None:
    """Compare the tables with what this version needs, and say what differs.

    \b
    Example:
        homeshelf tables check && homeshelf serve
    """
    from homeshelf.commands import database as command

    raise typer.Exit(command.check())


@key.command()
def rotate(
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Everybody signs in again: it may be known to others.")
    ] = False,
) -> None:
    """Let another key sign tokens and links from now on, without signing anybody out.

    \b
    Examples:
        homeshelf key rotate
        homeshelf key rotate --at-once

    What the key before has signed holds for as long as it would have. Processes that run notice.
    """
    from homeshelf.commands import key as command

    command.rotate(at_once=at_once)


@share.callback()
def shares() -> None:
    pass


@share.command()
def passcode(
    short_id: Annotated[str, typer.Argument(metavar="SHORTID", help="The short id of a list.")],
    view: Annotated[bool, typer.Option("--view", help="The passcode to see the list.")] = False,
    admin: Annotated[bool, typer.Option("--admin", help="The passcode to change it.")] = False,
    passcode_stdin: Annotated[
        bool, typer.Option("--passcode-stdin", help="Read the passcode from the standard input.")
    ] = False,
) -> None:
    """Give a shared list a new passcode, without knowing the one that it has.

    \b
    Example:
        homeshelf share passcode abc-def-12345 --view

    For a list whose passcode another program has kept in its own way. It asks for the new one, and
    does not show what you type.
    """
    from homeshelf.commands import share as command

    command.set_passcode(short_id, view=view, admin=admin, from_stdin=passcode_stdin)
