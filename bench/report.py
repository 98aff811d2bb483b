"""What was measured, as a small table with a verdict for each target."""

from rich import box
from rich.console import Console
from rich.table import Table

CLEARLY = 1.1
"""How far beyond its target a ratio is called missed: the rest is noise."""


class Report:
    def __init__(self, title: str) -> None:
        self._table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        self._table.add_column("what")
        for column in ("ours", "beside", "ratio", "at most"):
            self._table.add_column(column, justify="right")
        self._table.add_column("")

    def section(self, title: str) -> None:
        self._table.add_section()
        self._table.add_row(f"[bold]{title}")

    def ratio(self, what: str, ours: float, beside: float, *, at_most: float) -> None:
        """Two times in seconds, and what they are to each other."""
        ratio = ours / beside
        verdict = "ok" if ratio <= at_most * CLEARLY else "[red]MISSED"
        self._table.add_row(
            what, _time(ours), _time(beside), f"{ratio:.2f}", f"{at_most:.2f}", verdict
        )

    def cost(self, what: str, ours: float, beside: float, *, at_most: float) -> None:
        """The same, where a time is the target and not what it is to the other."""
        verdict = "ok" if ours <= at_most * CLEARLY else "[red]MISSED"
        ratio = f"{ours / beside:.2f}"
        self._table.add_row(what, _time(ours), _time(beside), ratio, _time(at_most), verdict)

    def figure(self, what: str, ours: str, beside: str = "") -> None:
        self._table.add_row(what, ours, beside)

    def show(self) -> None:
        Console().print(self._table)


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 0.001 else f"{seconds * 1e3:.2f} ms"
