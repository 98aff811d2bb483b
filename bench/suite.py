"""The parts, in the order in which they run."""

from collections.abc import Mapping

from bench import (
    books,
    connections,
    families,
    growth,
    hot,
    idle,
    kills,
    languages,
    list,  # noqa: A004  # the shopping list
    listeners,
    requests,
    shares,
    start,
    stock,
    table,
    taps,
    units,
    weights,
)
from bench.part import AnyPart

SUITE: Mapping[str, AnyPart] = {
    "requests": requests.PART,
    "table": table.PART,
    "growth": growth.PART,
    "families": families.PART,
    "hot": hot.PART,
    "taps": taps.PART,
    "start": start.PART,
    "connections": connections.PART,
    "listeners": listeners.PART,
    "idle": idle.PART,
    "units": units.PART,
    "weights": weights.PART,
    "list": list.PART,
    "stock": stock.PART,
    "languages": languages.PART,
    "shares": shares.PART,
    "books": books.PART,
    "kills": kills.PART,
}
