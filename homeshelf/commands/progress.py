from collections.abc import Iterator
from contextlib import contextmanager

import typer

from homeshelf.commands import CannotRun
from homeshelf.table.sqlite.copies import Progress


@contextmanager
def showing_progress(label: str) -> Iterator[Progress]:
    """A bar on a terminal, and a sentence for what the machine refuses."""
    try:
        with typer.progressbar(length=1, label=label) as bar:

            def progress(done: int, of: int) -> None:
                bar.length = max(of, 1)
                bar.update(done - bar.pos)

            yield progress
    except OSError as error:
        raise CannotRun(f"{error.filename or 'The disk'}: {error.strerror}.") from None
