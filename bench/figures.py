"""The figures of the benchmarks: names, units and limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["time", "MB", "kB", "share", "count", "rate", "units"]
"""The unit of a value: seconds, MB, kB, a fraction, a number, a rate per second, or DynamoDB's
units.
"""
Verdict = Literal["", "ok", "just over", "MISSED", "failed"]

TOLERANCE = 1.1
"""The ratio to the limit above which a figure is missed; smaller excesses may be noise."""


@dataclass(frozen=True)
class Figure:
    what: str
    kind: Kind
    at_most: float | None = None
    """The limit; None for a figure that is only reported."""
    of: Literal["value", "ratio"] = "value"
    """The number that the limit applies to: the value, or its ratio to the value beside it."""

    @property
    def bar(self) -> str:
        if self.at_most is None:
            return ""
        return (
            format_value(self.at_most, self.kind)
            if self.of == "value"
            else format_ratio(self.at_most)
        )


@dataclass(frozen=True)
class Measured:
    figure: Figure
    value: float | None
    """The value, or None if it could not be measured."""
    beside: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.value / self.beside if self.value is not None and self.beside else None

    @property
    def limited_value(self) -> float | None:
        return self.value if self.figure.of == "value" else self.ratio

    @property
    def met(self) -> bool | None:
        """Return whether the bar is met; None without a bar."""
        if self.figure.at_most is None:
            return None
        return self.limited_value is not None and self.limited_value <= self.figure.at_most

    @property
    def verdict(self) -> Verdict:
        bar = self.figure.at_most
        if self.value is None or (bar is not None and self.limited_value is None):
            return "failed"
        if bar is None or self.limited_value is None:
            return ""
        if self.limited_value <= bar:
            return "ok"
        return "just over" if self.limited_value <= bar * TOLERANCE else "MISSED"


def ratios(names: Sequence[str], at_most: float) -> list[Figure]:
    """Return figures of times, each limited by the ratio to a reference."""
    return [Figure(what, "time", at_most, "ratio") for what in names]


def format_value(value: float, kind: Kind) -> str:
    match kind:
        case "time":
            return _time(value)
        case "MB" | "kB":
            return f"{value:.1f} {kind}"
        case "share":
            return f"{100 * value:.1f}%" if value > 0.01 else f"{100 * value:.2f}%"
        case "rate":
            return f"{value:,.0f}/s"
        case "count":
            return f"{value:,.0f}"
        case "units":
            return f"{value:,.2f}"


def format_ratio(ratio: float) -> str:
    return f"{ratio:.2f} times"


def _time(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 0.1 else f"{seconds:.2f} s"
