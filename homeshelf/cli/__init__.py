"""The command line. Each command imports its code when it runs, so that `--help` is fast."""

import os
import sys
from typing import Annotated

import typer

from homeshelf import __version__
from homeshelf.cli import admin, moving, serving, user
from homeshelf.commands import CannotRun
from homeshelf.config import BadSetting, find_mistakes
from homeshelf.controls import printable

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(serving.commands)
app.add_typer(moving.commands)
app.add_typer(user.commands, name="user", help="Create, list and disable accounts.")
app.add_typer(admin.share, name="share", help="Manage shared lists.")
app.add_typer(admin.tables, name="tables", help="Create, list and check the database tables.")
app.add_typer(admin.key, name="key", help="Manage the key that signs tokens and links.")

CHECKS_SETTINGS = (None, "serve", "doctor")
"""Commands that report mistakes in the settings themselves."""


def main() -> None:
    try:
        app()
    except Exception as error:
        if not _is_plain(error):
            raise
        typer.echo("\n".join(map(printable, str(error).split("\n"))), err=True)
        sys.exit(2)


@app.callback(invoke_without_command=True)
def homeshelf(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Track what your household has, what is running low and what to buy.

    \b
    Start with:
        homeshelf serve

    Settings are environment variables, such as HOMESHELF_DATA_DIR for the data folder. Run a
    command with --help for its details.
    """
    if version:
        typer.echo(f"Homeshelf {__version__}")
        raise typer.Exit
    if context.invoked_subcommand not in CHECKS_SETTINGS:
        for mistake in find_mistakes(os.environ):
            typer.echo(f"Warning: {mistake}", err=True)


def _is_plain(error: Exception) -> bool:
    """Return whether the error's text is a sentence for the user of the command line."""
    if isinstance(error, CannotRun | BadSetting):
        return True
    # Table errors are impossible before a command has imported the tables.
    if "homeshelf.table" not in sys.modules:
        return False
    from homeshelf.errors import HomeshelfError
    from homeshelf.table import CannotOpen, Unavailable, Unreadable

    return isinstance(error, HomeshelfError | CannotOpen | Unavailable | Unreadable)
