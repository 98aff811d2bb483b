"""A typical pantry in each language; the files differ, because households do."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "pantry"


@dataclass(frozen=True)
class Shelf:
    place: str
    items: Sequence[str]


@cache
def pantry(language: str) -> tuple[Shelf, ...]:
    path = FOLDER / f"{language}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return tuple(
        Shelf(place, [item.strip() for item in items.split(",")])
        for line in text.splitlines()
        for place, _, items in [line.partition(": ")]
    )
