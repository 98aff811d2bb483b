"""The command line."""

import os
import sys
from typing import Annotated

import typer

from homeshelf import __version__, tables_command
from homeshelf.config import BadSetting, read_settings
from homeshelf.table import CannotOpen, Unavailable

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(tables_command.app, name="tables")


def main() -> None:
    try:
        app()
    except (BadSetting, CannotOpen, Unavailable) as error:
        sys.exit(_refuse(error))


@app.callback(invoke_without_command=True)
def homeshelf(
    version: Annotated[bool, typer.Option("--version", help="Say the version and leave.")] = False,
) -> None:
    """What is at home, what runs low and what to buy, shared by a household."""
    if version:
        typer.echo(f"Homeshelf {__version__}")
        raise typer.Exit


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8000,
) -> None:
    """Serve the household."""
    read_settings(os.environ)
    typer.echo(f"There is nothing to serve at http://{host}:{port} yet.")


def _refuse(error: Exception) -> int:
    typer.echo(str(error), err=True)
    return 2
