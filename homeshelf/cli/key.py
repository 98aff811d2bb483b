"""The key that signs tokens and links."""

from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.command()
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
