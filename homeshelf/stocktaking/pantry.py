"""A ready-made pantry in each language. The files are no translations: what is usual differs."""

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
    """Return the shelves; a language may have none yet."""
    path = FOLDER / f"{language}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return tuple(
        Shelf(place, [thing.strip() for thing in things.split(",")])
        for line in text.splitlines()
        for place, _, things in [line.partition(": ")]
    )
