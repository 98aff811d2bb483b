"""The parts of the suite, in the order in which they run."""

from collections.abc import Mapping

from bench import (
    books,
    connections,
    families,
    growth,
    hot,
    idle,
    kills,
    list,  # noqa: A004  # the shopping list
    requests,
    start,
    taps,
    units,
    weights,
)
from bench.part import AnyPart

SUITE: Mapping[str, AnyPart] = {
    "requests": requests.PART,
    "growth": growth.PART,
    "families": families.PART,
    "hot": hot.PART,
    "taps": taps.PART,
    "start": start.PART,
    "connections": connections.PART,
    "idle": idle.PART,
    "units": units.PART,
    "weights": weights.PART,
    "list": list.PART,
    "books": books.PART,
    "kills": kills.PART,
}
