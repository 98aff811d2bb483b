"""A part of the suite: what it measures, and how it says so."""

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
    """Passes on what a part finds, and holds it to the figures that it has declared."""

    def __init__(self, figures: Sequence[Figure], tell: Callable[[Event], None]) -> None:
        self._left: Mapping[str, Figure] = {figure.what: figure for figure in figures}
        assert len(self._left) == len(figures), "two figures have one name"
        self._tell = tell

    def step(self, what: str) -> None:
        self._tell(Step(what))

    def measured(self, what: str, value: float, beside: float | None = None) -> None:
        """Report a value in the kind of its figure, and the value measured beside it."""
        figure = self._left[what]
        self._left = {name: other for name, other in self._left.items() if name != what}
        self._tell(Measured(figure, value, beside))

    def chart(self, chart: Chart) -> None:
        self._tell(chart)


@dataclass(frozen=True)
class Part(Generic[S]):
    about: str
    """The measurement and its method, for the page."""
    figures: Sequence[Figure]
    run: Callable[[Report, S], None]
    full: S
    tiny: S
    """Sizes that only show whether the part runs."""
    seconds: float
    """The time limit."""


AnyPart = Part[Any]
