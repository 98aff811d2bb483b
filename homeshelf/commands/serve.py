import gc
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import typer

from homeshelf import logs
from homeshelf.commands import CannotRun
from homeshelf.commands.binding import Binding, find_binding
from homeshelf.commands.database import with_database
from homeshelf.config import Settings, read_settings
from homeshelf.serving import crew
from homeshelf.table import TABLES


def serve(host: str, port: int, workers: int, certificate: Path | None, key: Path | None) -> int:
    """Look at everything first, so that what is wrong is one sentence and nothing has started."""
    settings = read_settings(os.environ)
    logs.configure(settings.log_level)
    if workers > 1 and sys.platform != "linux":
        raise CannotRun("Only Linux shares a port between processes: leave out --workers.")
    binding = find_binding(host, port, certificate, key)
    _require_tables()
    load = partial(_loaded, settings, binding)
    return crew.run(workers, load) if workers > 1 else load()(0, None)


def _require_tables() -> None:
    found = with_database(lambda db: db.engine.list_tables())
    missing = [table.name for table in TABLES if table.name not in found]
    if missing:
        names = "all its tables" if not found else f"the table {', '.join(missing)}"
        raise CannotRun(f"The database lacks {names}: run `homeshelf tables create` first.")


def _loaded(settings: Settings, binding: Binding) -> Callable[[int, int | None], int]:
    """The application is loaded only now: what is wrong is said at once."""
    gc.disable()  # what is loaded stays, and looking for garbage in it takes a tenth of the time
    from homeshelf.commands import process  # noqa: PLC0415

    gc.enable()

    def serve(number: int, keeper: int | None) -> int:
        def greet() -> None:
            if number == 0:
                typer.echo(binding.greeting(settings))

        return process.run(settings, binding, greet, keeper)

    return serve
