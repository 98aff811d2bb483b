"""Commands for the tables, the signing key and shared lists."""

from typing import Annotated

import typer

tables = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
key = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
share = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@tables.command()
def create() -> None:
    """Create the missing tables. Running it again changes nothing.

    \b
    Example:
        HOMESHELF_DATABASE=dynamodb://eu-central-1 homeshelf tables create
    """
    from homeshelf.commands import database as command

    command.create()


@tables.command("list")
def list_() -> None:
    """List the existing tables.

    \b
    Example:
        homeshelf tables list
    """
    from homeshelf.commands import database as command

    command.list_()


@tables.command()
def check() -> None:
    """List differences between the tables and those this version needs.

    \b
    Example:
        homeshelf tables check && homeshelf serve
    """
    from homeshelf.commands import database as command

    raise typer.Exit(command.check())


@key.command()
def rotate(
    at_once: Annotated[bool, typer.Option("--at-once", help="Also sign everybody out.")] = False,
) -> None:
    """Sign tokens and links with a new key, without signing anybody out.

    \b
    Examples:
        homeshelf key rotate
        homeshelf key rotate --at-once

    Tokens signed with the old key stay valid until they expire. Running processes switch too.
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
        bool, typer.Option("--passcode-stdin", help="Read it from stdin.")
    ] = False,
) -> None:
    """Set a new passcode of a shared list.

    \b
    Example:
        homeshelf share passcode abc-def-12345 --view

    For a list whose passcode another program stored in its own format. It prompts for the new one
    without showing your input.
    """
    from homeshelf.commands import share as command

    command.set_passcode(short_id, view=view, admin=admin, from_stdin=passcode_stdin)
