"""Lists that were handed on."""

from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.callback()
def shares() -> None:
    pass


@commands.command()
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
