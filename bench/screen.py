"""The progress on the terminal, and the table with a verdict for every bar."""

import sys
from collections.abc import Mapping
from time import monotonic

from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.figures import Measured, format_ratio, format_value
from bench.part import AnyPart, Event, Step
from bench.results import Result

COLOURS = {"MISSED": "[red]", "failed": "[red]", "just over": "[yellow]", "ok": "[green]"}


class Screen:
    """The terminal output. The waiting thread redraws it, because parts fork any other thread."""

    def __init__(self) -> None:
        self._console = Console()
        self._progress = Progress(
            SpinnerColumn(finished_text="·"),
            TextColumn("{task.fields[name]}"),
            TimeElapsedColumn(),
            TextColumn("of at most {task.fields[most]:.0f} s  {task.description}"),
            console=Console(stderr=True),
            auto_refresh=False,
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task: TaskID | None = None
        self._drawn = 0.0

    def begin(self, name: str, part: AnyPart) -> None:
        self._progress.start()
        self._task = self._progress.add_task("", name=name, most=part.seconds, total=1)
        if self._progress.disable:
            print(f"{name}: at most {part.seconds:.0f} s", file=sys.stderr, flush=True)

    def show_event(self, event: Event | None) -> None:
        if isinstance(event, Step) and self._task is not None:
            self._progress.update(self._task, description=event.what)
        if monotonic() - self._drawn > 0.1:
            self._drawn = monotonic()
            self._progress.refresh()

    def end(self, name: str, result: Result) -> None:
        if self._task is not None:
            self._progress.update(self._task, completed=1, description="")
        self._progress.stop()
        self._console.print(_table(name, result))
        if result.failed:
            self._console.print(f"{name} failed: {result.failed}", markup=False)

    def sum_up(self, results: Mapping[str, Result]) -> None:
        for name, result in results.items():
            for each in result.measured:
                if each.verdict not in ("", "ok"):
                    print(f"{each.verdict.lower()}: {name}: {each.figure.what}{_by(each)}")


def _table(name: str, result: Result) -> Table:
    title = f"{name}, {result.seconds:.0f} s"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("what")
    for column in ("ours", "beside", "ratio", "at most"):
        table.add_column(column, justify="right")
    table.add_column("")
    for each in result.measured:
        kind = each.figure.kind
        cells = [each.figure.what]
        cells += ["" if v is None else format_value(v, kind) for v in (each.value, each.beside)]
        cells.append("" if each.ratio is None else f"{each.ratio:.2f}")
        verdict = COLOURS.get(each.verdict, "") + each.verdict
        table.add_row(*cells, each.figure.bar, verdict)
    return table


def _by(measured: Measured) -> str:
    if measured.limited_value is None:
        return ""
    is_ratio = measured.figure.of == "ratio"
    said = (
        format_ratio(measured.limited_value)
        if is_ratio
        else format_value(measured.limited_value, measured.figure.kind)
    )
    return f" ({said}, at most {measured.figure.bar})"
