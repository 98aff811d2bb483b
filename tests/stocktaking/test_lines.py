"""The server and the script parse stocktaking lines alike."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.shopping import units
from homeshelf.shopping.entry_parser import fold_name, split_entries
from homeshelf.shopping.units import fold_word
from homeshelf.stocktaking.lines import Line, Names, parse_lines
from tests.browser_scripts import write_scripts
from tests.cases import odd_texts, seeded_random

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("lines.json").read_text(encoding="utf-8")
)
ODD = [
    *("2", "12", "500", "1,5", "x2", "2x", "3.", "-", "\n", "\t", ",", ";", ":", "\u060c"),
    *("\u0662", "milk", "Öl", "Fridge", "shelf 2", "pcs", "l", "kg", "0", "½", "1. ", "\u200e"),
]


UNIT_WORDS = units.UNITS_OF | units.NUMBERS | units.BEFORE_NUMBERS
TYPED_WORDS = st.sampled_from([*sorted(UNIT_WORDS), *ODD[:4], ", 44", "(500 g)", "4"])
WORD = re.compile(r"[^\W_]+")
EUROPEAN_DIGITS = {ord("\u0660") + digit: str(digit) for digit in range(10)}
LEFT_OUT = {"x", *units.OF, *units.PIECES, "d", "l", "la", "los", "las"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"])[:40])
def test_line_is_parsed(case: dict[str, Any]) -> None:
    found = parse_lines(case["text"], _known_names(case), case.get("place"))
    assert [_line_text(line) for line in found] == case["lines"]


def test_script_parses_same_lines(tmp_path: Path) -> None:
    found = _run_script(tmp_path, CASES)
    different = [
        (case, got) for case, got in zip(CASES, found, strict=True) if got != case["lines"]
    ]
    assert different == []


def test_server_and_script_agree_on_random_lines(tmp_path: Path) -> None:
    random = seeded_random()
    words = sorted(units.UNITS_OF | units.NUMBERS)
    texts = [
        " ".join(
            random.choice(random.choice([words, ODD, ODD])) for _ in range(random.randint(1, 9))
        )
        for _ in range(2000)
    ]
    known = {"things": {"milk": "l", "Öl 2": ""}, "places": ["Fridge", "Shelf 2"]}
    found = _run_script(tmp_path, [{"text": text, **known} for text in texts])
    for text, got in zip(texts, found, strict=True):
        assert got == [_line_text(line) for line in parse_lines(text, _known_names(known))], text


@pytest.mark.parametrize("number", [2000, pytest.param(60_000, marks=pytest.mark.torture)])
def test_server_and_script_agree_on_random_characters(tmp_path: Path, number: int) -> None:
    words = [
        *sorted(units.UNITS_OF | units.NUMBERS),
        "milk",
        "Öl 2",
        "Fridge",
        "Fridge:",
        "shelf 2",
    ]
    texts = odd_texts(seeded_random(), number, words)
    known = {"things": {"milk": "l", "Öl 2": ""}, "places": ["Fridge", "Shelf 2"]}
    found = _run_script(tmp_path, [{"text": text, **known} for text in texts])
    for text, got in zip(texts, found, strict=True):
        assert got == [_line_text(line) for line in parse_lines(text, _known_names(known))], repr(
            text
        )


def _known_names(case: dict[str, Any]) -> Names:
    units = {fold_name(name): unit or None for name, unit in case.get("things", {}).items()}
    return Names(units, [fold_name(name) for name in case.get("places", ())], case.get("unit"))


def _line_text(line: Line) -> str:
    said = f"{line.name}|{line.count}|{line.unit or ''}|{line.place or ''}"
    return said + (f"|{line.notes}" if line.notes else "") + "+" * (line.written - 1)


_SCRIPT = """
const { readFileSync } = await import("node:fs");
await (await import("./shopping/unit-words.js")).loadUnits();
const { linesIn } = await import("./taking/lines.js");
const { foldName: plain } = await import("./typing/names.js");
const said = ({ name, count, unit, notes, place, written }) =>
  `${name}|${count}|${unit ?? ""}|${place ?? ""}${notes ? `|${notes}` : ""}` +
  "+".repeat(written - 1);
const run = ({ text, things, places, place, unit }) => {
  const units = new Map(Object.entries(things ?? {}).map(([name, of]) => [plain(name), of]));
  const folded = new Set((places ?? []).map(plain));
  const names = { things: units, places: folded, unit: unit ?? "" };
  return linesIn(text, names, place).map(said);
};
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(process.argv[2], "utf8")).map(run)));
"""


def _run_script(folder: Path, given: list[dict[str, Any]]) -> list[list[str]]:
    """Return the results of the shipped script."""
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no Node.js")
    scripts = write_scripts(folder)
    (scripts / "run.js").write_text(_SCRIPT)
    (folder / "given.json").write_text(json.dumps(given))
    command = [node, str(scripts / "run.js"), str(folder / "given.json")]
    ran = subprocess.run(command, capture_output=True, check=False)  # Node itself
    assert ran.returncode == 0, ran.stderr.decode()
    found: list[list[str]] = json.loads(ran.stdout)
    return found


@given(st.lists(TYPED_WORDS | st.text("abß é٢2,.-'()", min_size=1, max_size=8), max_size=9))
def test_lines_contain_every_typed_word(typed: list[str]) -> None:
    """Only a bullet, the times sign, pieces and "of" are dropped."""
    text = " ".join(typed)
    names = Names({"dose tee": None, "milk": None}, ["fridge"])
    for written in split_entries(text):
        said = [fold_word(word) for line in parse_lines(written, names) for word in _words_of(line)]
        typed_words = WORD.findall(written.translate(EUROPEAN_DIGITS))
        missing = [fold_word(word) for word in typed_words]
        for word in said:
            if word in missing:
                missing.remove(word)
        assert not set(missing) - LEFT_OUT, (written, said)


def _words_of(line: Line) -> list[str]:
    said = f"{line.name} {line.count} {line.unit or ''} {line.notes or ''} {line.place or ''}"
    return WORD.findall(said.translate(EUROPEAN_DIGITS))
