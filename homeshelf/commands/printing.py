import typer

from homeshelf.controls import printable


def say(text: str) -> None:
    """Print a line that has a name in it: nothing in a name may drive the terminal."""
    typer.echo(printable(text))
