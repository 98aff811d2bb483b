"""Terminal input and output for commands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from homeshelf.commands import CannotRun
from homeshelf.config.values import BadValue
from homeshelf.controls import printable
from homeshelf.table.sqlite.copies import Progress

B = TypeVar("B", bound=BaseModel)
T = TypeVar("T")


def print_line(text: str) -> None:
    """Print a line that contains a name, whose control characters are escaped."""
    typer.echo(printable(text))


def read_secret(what: str, *, from_stdin: bool) -> str:
    """Prompt twice for a password or a passcode, or read a line of the standard input."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise CannotRun(
            f"There is no terminal to type a {what} at: pipe one in with --{what}-stdin."
        )
    typed: str = typer.prompt(what.capitalize(), hide_input=True, confirmation_prompt="Once more")
    return typed


def validate(body: type[B], **typed: Any) -> B:
    """Return the typed values as a body, or raise CannotRun with its errors."""
    try:
        return body.model_validate(typed)
    except ValidationError as wrong:
        raise CannotRun(" ".join(error["msg"] for error in wrong.errors())) from None


def read_option(name: str, read: Callable[[str], T], text: str) -> T:
    """Return the value of an option, or raise CannotRun with its error."""
    try:
        return read(text)
    except BadValue as wrong:
        raise CannotRun(f"{name} {wrong}") from None


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """Show a progress bar, and turn an OSError into CannotRun."""
    try:
        with typer.progressbar(length=1, label=label) as bar:

            def progress(done: int, of: int) -> None:
                bar.length = max(of, 1)
                bar.update(done - bar.pos)

            yield progress
    except OSError as error:
        raise CannotRun(f"{error.filename or 'The disk'}: {error.strerror}.") from None
