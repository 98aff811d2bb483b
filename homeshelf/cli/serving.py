"""Commands that serve a household, check an installation and create a demo."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.command()
def serve(
    host: Annotated[
        str, typer.Option(help="The address; 0.0.0.0 serves your network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="The number of processes.")] = 1,
    certificate: Annotated[Path | None, typer.Option(help="A PEM certificate, for HTTPS.")] = None,
    key: Annotated[Path | None, typer.Option(help="The PEM key of the certificate.")] = None,
) -> None:
    """Serve the household until it is stopped (Ctrl-C).

    \b
    Examples:
        homeshelf serve
        homeshelf serve --host 0.0.0.0 --port 80
        homeshelf serve --host 0.0.0.0 --certificate shelf.pem --key shelf.key

    On DynamoDB the tables must exist: `homeshelf tables create` creates them.
    """
    from homeshelf.commands import serve as command

    raise typer.Exit(command.serve(host, port, workers, certificate, key))


@commands.command()
def doctor() -> None:
    """Check the installation, and print what to do about each problem.

    It checks the settings, the folder, the database, the clock, the signing key, the mail server
    and the identity provider.

    \b
    Example:
        homeshelf doctor

    The exit code is 1 if something is wrong, and 0 otherwise.
    """
    from homeshelf.commands import doctor as command

    raise typer.Exit(command.examine())


@commands.command()
def demo(
    folder: Annotated[Path, typer.Option(help="The folder of the demo.")] = Path("data-demo"),
) -> None:
    """Create a demo household to look around in.

    It has two adults, two kids and a full stock. Your own data is never touched.

    \b
    Example:
        homeshelf demo
        HOMESHELF_DATA_DIR=data-demo homeshelf serve
    """
    from homeshelf.commands import demo as command

    command.furnish_demo(folder)
