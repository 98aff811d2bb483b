"""Test that the script parses typed text as the server does."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from homeshelf.shopping import units
from homeshelf.shopping.entry_parser import fold_name, parse_entries
from homeshelf.web.body import is_visible
from tests.browser_scripts import write_scripts
from tests.cases import KINDS, odd_texts, seeded_random
from tests.shopping.typed_cases import load_cases

TABLES = (
    *("SHORT_MEASURES", "MEASURES", "PIECES", "UNITS", "UNITS_OF", "FIRST_WORDS"),
    *("NUMBERS", "HALVES", "OF", "NO_CONTENTS", "BEFORE_NUMBERS", "NO_THINGS"),
)
ODD_WORDS = [
    *("2", "12", "500", "1,5", "\u00bd", "1/2", "1", "000", "2-3", "-", "1-", "3.", "x2", "2x"),
    *("\u0662", "\u0661\u060c\u0665", "\u00d7", "x", "d'eau", "500g", "6er-Pack", ";", "\n"),
    *(",", "\u060c", "%", "milk", "Öl", "تونة"),
]

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")


def test_script_parses_all_cases_like_the_server(tmp_path: Path) -> None:
    said = load_cases()
    assert len(said) > 800
    found = _run_script(tmp_path, _LOAD_UNITS + _PARSE, said)
    different = [
        (case, got) for case, got in zip(said, found, strict=True) if got != case["expected"]
    ]
    assert different == []


def test_script_and_server_have_the_same_unit_words(tmp_path: Path) -> None:
    found = _run_script(tmp_path, _UNIT_WORDS, list(TABLES))
    for name, words in zip(TABLES, found, strict=True):
        assert set(words) == getattr(units, name), name


def test_script_and_server_parse_random_words_alike(tmp_path: Path) -> None:
    random = seeded_random()
    words = [*sorted(units.UNITS_OF | units.NO_CONTENTS | units.OF), *sorted(units.NUMBERS)]
    texts = [
        " ".join(
            random.choice(random.choice([words, ODD_WORDS])) for _ in range(random.randint(1, 7))
        )
        for _ in range(3000)
    ]
    known = ["milk", "Öl", "dose milk"]
    given = [{"text": text, "known": known} for text in texts]
    found = _run_script(tmp_path, _LOAD_UNITS + _PARSE, given)
    names = {fold_name(name) for name in known}
    for text, got in zip(texts, found, strict=True):
        meant = parse_entries(text, names)
        assert got == [_parsed_entry(it.name, it.quantity, it.notes) for it in meant], text


@pytest.mark.parametrize("number", [2000, pytest.param(60_000, marks=pytest.mark.torture)])
def test_script_and_server_parse_random_characters_alike(tmp_path: Path, number: int) -> None:
    words = [*sorted(units.UNITS_OF | units.OF | units.NUMBERS), "milk", "Öl", "2 x"]
    texts = odd_texts(seeded_random(), number, words)
    known = ["milk", "Öl", "dose milk", "a"]
    found = _run_script(
        tmp_path, _LOAD_UNITS + _PARSE, [{"text": text, "known": known} for text in texts]
    )
    names = {fold_name(name) for name in known}
    for text, got in zip(texts, found, strict=True):
        meant = [_parsed_entry(it.name, it.quantity, it.notes) for it in parse_entries(text, names)]
        assert got == meant, repr(text)


def test_script_and_server_agree_on_visible_characters(tmp_path: Path) -> None:
    signs = [
        *{sign for kind in KINDS for sign in kind},
        *map(chr, [*range(0x2000, 0x2070), *range(0xE0000, 0xE1000), *range(0xFFF0, 0xFFFE)]),
        *"\u034f\u115f\u1160\u17b4\u180e\u2800\u3164\ufe00\uffa0\U0001d159\U0001d173",
    ]
    for sign, seen in zip(signs, _run_script(tmp_path, _IS_VISIBLE, signs), strict=True):
        assert seen == is_visible(sign), hex(ord(sign))


@pytest.mark.parametrize("is_late", [True, False], ids=["late", "never"])
def test_script_without_unit_words_parses_figures_and_measures(
    tmp_path: Path, is_late: bool
) -> None:
    typed = ["2 milk, 1,5 kg flour", "cream 200 ml x2", "2 Dosen Mais", "3 in 1 oil"]
    given = [{"text": text, "known": []} for text in typed]
    script = _PARSE if is_late else _LOAD_UNITS + _PARSE
    found = _run_script(tmp_path, script, given, has_units=is_late)
    assert found == [
        [_parsed_entry("milk", 2), _parsed_entry("flour", notes="1,5 kg")],
        [_parsed_entry("cream", 2, "200 ml")],
        [_parsed_entry("Dosen Mais", 2)],
        [_parsed_entry("3 in 1 oil")],
    ]


def _parsed_entry(
    name: str, quantity: int | None = None, notes: str | None = None
) -> dict[str, Any]:
    return {"name": name, "quantity": quantity, "notes": notes}


def test_start_of_name_is_found_behind_amounts(tmp_path: Path) -> None:
    expected = {
        "mi": ["mi", "mi"],
        "2 mi": ["mi", "mi"],
        "bread, 2 x mi": ["mi", "mi"],
        "1,5 kg mi": ["1,5 kg mi", "mi"],
        "1 Bund Pe": ["Bund Pe", "Pe"],
        "une botte de ra": ["une botte de ra", "ra"],
        "خبز، \u0662 كيلو طم": ["كيلو طم", "طم"],
        "2 m": ["m", "2 m"],
        "2 ": [""],
        "milk x2": ["milk x2"],
        "": [""],
    }
    found = _run_script(tmp_path, _LOAD_UNITS + _NAME_STARTS, list(expected))
    assert dict(zip(expected, found, strict=True)) == expected


_PARSE = """
const { parseEntries } = await import("./shopping/entry-parser.js");
const { foldName: plain } = await import("./typing/names.js");
const run = ({ text, known }) => parseEntries(text, new Set(known.map(plain)));
"""
_IS_VISIBLE = """
const { isVisible } = await import("./typing/names.js");
const run = isVisible;
"""
_UNIT_WORDS = """
const units = await import("./shopping/typing/units.js");
const run = (name) => [...units[name]];
"""
_NAME_STARTS = """
const { findNameStarts } = await import("./shopping/entry-parser.js");
const run = findNameStarts;
"""
_LOAD_UNITS = """
await (await import("./shopping/unit-words.js")).loadUnits();
"""
_RUN_ALL = """
const { readFileSync } = await import("node:fs");
const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
process.stdout.write(JSON.stringify(given.map((each) => run(each))));
"""


def _run_script(
    folder: Path, script: str, given: list[Any], *, has_units: bool = True
) -> list[Any]:
    """Run the shipped scripts on each case."""
    scripts = write_scripts(folder)
    if not has_units:
        (scripts / "shopping" / "typing" / "units.js").unlink()
    (scripts / "run.js").write_text(script + _RUN_ALL)
    (folder / "given.json").write_text(json.dumps(given))
    command = [shutil.which("node") or "", str(scripts / "run.js"), str(folder / "given.json")]
    ran = subprocess.run(command, capture_output=True, check=False)  # Node itself
    assert ran.returncode == 0, ran.stderr.decode()
    found: list[Any] = json.loads(ran.stdout)
    return found
