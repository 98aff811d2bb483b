"""What was measured, as a small table with a verdict for every bar."""

from rich import box
from rich.console import Console
from rich.table import Table

CLEARLY = 1.1
"""How far beyond its bar a figure is called missed: the rest is noise."""


class Report:
    def __init__(self, title: str) -> None:
        self.missed: list[str] = []
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
        verdict = self._verdict(what, ours / beside, at_most)
        ratio = f"{ours / beside:.2f}"
        self._table.add_row(what, _time(ours), _time(beside), ratio, f"{at_most:.2f}", verdict)

    def cost(self, what: str, ours: float, beside: float, *, at_most: float) -> None:
        """The same, where a time is the bar and not what it is to the other."""
        verdict = self._verdict(what, ours, at_most)
        ratio = f"{ours / beside:.2f}"
        self._table.add_row(what, _time(ours), _time(beside), ratio, _time(at_most), verdict)

    def times(self, what: str, ours: float, beside: float) -> None:
        """Two times in seconds to know, without a bar."""
        self._table.add_row(what, _time(ours), _time(beside), f"{ours / beside:.2f}")

    def bound(self, what: str, ours: float, shown: str, *, at_most: float) -> None:
        """A figure of any kind, with a bar of its own; `shown` formats both."""
        verdict = self._verdict(what, ours, at_most)
        self._table.add_row(what, shown.format(ours), "", "", shown.format(at_most), verdict)

    def figure(self, what: str, ours: str, beside: str = "", ratio: str = "") -> None:
        """A figure to know, without a bar."""
        self._table.add_row(what, ours, beside, ratio)

    def show(self) -> None:
        Console().print(self._table)

    def _verdict(self, what: str, ours: float, at_most: float) -> str:
        if ours <= at_most * CLEARLY:
            return "ok"
        self.missed.append(what)
        return "[red]MISSED"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 0.001 else f"{seconds * 1e3:.2f} ms"
