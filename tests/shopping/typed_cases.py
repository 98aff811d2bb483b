"""Load the cases that the parsers in Python and JavaScript share."""

import json
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "sv", "ar")
_FOLDER = Path(__file__).parent

Case = dict[str, Any]


def load_cases() -> list[Case]:
    return [*load_rules(), *(case for language in LANGUAGES for case in load_phrases(language))]


def load_rules() -> list[Case]:
    found: list[Case] = json.loads((_FOLDER / "typed_cases.json").read_text(encoding="utf-8"))
    return found


def load_phrases(language: str) -> list[Case]:
    """Return the everyday phrases of a language with their expected entries."""
    lines = (_FOLDER / "phrases" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [_make_case(*(part.strip() for part in line.split("|"))) for line in lines]


def _make_case(text: str, quantity: str, notes: str, name: str) -> Case:
    count = int(quantity) if quantity else None
    expected = {"name": name, "quantity": count, "notes": notes or None}
    return {"text": text, "known": [], "expected": [expected]}
