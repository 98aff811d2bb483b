"""A part of the suite, and the reports of its progress and results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bench.charts import Chart
from bench.figures import Figure, Measured

S = TypeVar("S")


@dataclass(frozen=True)
class Step:
    """The current step of a part."""

    what: str


@dataclass(frozen=True)
class Failed:
    why: str


Event = Step | Measured | Chart | Failed


class Report:
    """Passes on the results of a part, and checks them against its declared figures."""

    def __init__(self, figures: Sequence[Figure], send: Callable[[Event], None]) -> None:
        self._left: Mapping[str, Figure] = {figure.what: figure for figure in figures}
        assert len(self._left) == len(figures), "two figures have one name"
        self._send = send

    def step(self, what: str) -> None:
        self._send(Step(what))

    def measured(self, what: str, value: float, beside: float | None = None) -> None:
        """Report a value in the kind of its figure, and the value measured beside it."""
        figure = self._left[what]
        self._left = {name: other for name, other in self._left.items() if name != what}
        self._send(Measured(figure, value, beside))

    def chart(self, chart: Chart) -> None:
        self._send(chart)


@dataclass(frozen=True)
class Part(Generic[S]):
    about: str
    """A description of the measurement, for the documentation."""
    figures: Sequence[Figure]
    run: Callable[[Report, S], None]
    full: S
    tiny: S
    """Sizes that only check whether the part runs."""
    seconds: float
    """The time limit."""


AnyPart = Part[Any]
