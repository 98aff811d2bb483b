"""A ready-made pantry: what most households have, by where it is kept, in each language.

The files are lists of their own and no translations of each other: what is usual differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "pantry"


@dataclass(frozen=True)
class Shelf:
    place: str
    things: Sequence[str]


@cache
def pantry(language: str) -> tuple[Shelf, ...]:
    """None where nobody has written one in this language yet."""
    path = FOLDER / f"{language}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return tuple(
        Shelf(place, [thing.strip() for thing in things.split(",")])
        for line in text.splitlines()
        for place, _, things in [line.partition(": ")]
    )
