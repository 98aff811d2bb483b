"""Commands that serve a household, check an installation and create a demo."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@commands.command()
def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 lets others in your network in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="How many processes serve. A household needs one.")
    ] = 1,
    certificate: Annotated[
        Path | None, typer.Option(help="A certificate as PEM, to serve HTTPS.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The certificate's key as PEM.")] = None,
) -> None:
    """Serve the household until it is told to stop (Ctrl-C).

    \b
    Examples:
        homeshelf serve
        homeshelf serve --host 0.0.0.0 --port 80
        homeshelf serve --host 0.0.0.0 --certificate shelf.pem --key shelf.key

    On DynamoDB the tables must be there: `homeshelf tables create` makes them.
    """
    from homeshelf.commands import serve as command

    raise typer.Exit(command.serve(host, port, workers, certificate, key))


@commands.command()
def doctor() -> None:
    """Say what is wrong with the installation, and what to do.

    It looks at the settings, the folder, the database, the clock, the signing key, the mail
    server and the identity provider.

    \b
    Example:
        homeshelf doctor

    It ends with 1 where something is wrong, and with 0 otherwise.
    """
    from homeshelf.commands import doctor as command

    raise typer.Exit(command.examine())


@commands.command()
def demo(
    folder: Annotated[
        Path, typer.Option(help="Where the household moves in. Your own data is never touched.")
    ] = Path("data-demo"),
) -> None:
    """Make up a household to look around in.

    Two adults, two kids, and what they keep at home.

    \b
    Example:
        homeshelf demo
        HOMESHELF_DATA_DIR=data-demo homeshelf serve
    """
    from homeshelf.commands import demo as command

    command.furnish_demo(folder)
