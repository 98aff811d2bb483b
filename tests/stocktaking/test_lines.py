"""The server and the script parse stocktaking lines alike."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from homeshelf.shopping import units
from homeshelf.shopping.entry_parser import fold_name
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


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"])[:40])
def test_line_is_parsed(case: dict[str, Any]) -> None:
    found = parse_lines(case["text"], _names(case), case.get("place"))
    assert [_said(line) for line in found] == case["lines"]


def test_script_parses_same_lines(tmp_path: Path) -> None:
    found = _run(tmp_path, CASES)
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
    known = {"things": ["milk", "Öl 2"], "places": ["Fridge", "Shelf 2"]}
    found = _run(tmp_path, [{"text": text, **known} for text in texts])
    for text, got in zip(texts, found, strict=True):
        assert got == [_said(line) for line in parse_lines(text, _names(known))], text


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
    known = {"things": ["milk", "Öl 2"], "places": ["Fridge", "Shelf 2"]}
    found = _run(tmp_path, [{"text": text, **known} for text in texts])
    for text, got in zip(texts, found, strict=True):
        assert got == [_said(line) for line in parse_lines(text, _names(known))], repr(text)


def _names(case: dict[str, Any]) -> Names:
    things, places = (
        {fold_name(name) for name in case.get(kind, ())} for kind in ("things", "places")
    )
    return Names(things, places)


def _said(line: Line) -> str:
    return f"{line.name}|{line.count}|{line.unit or ''}|{line.place or ''}"


_SCRIPT = """
const { readFileSync } = await import("node:fs");
await (await import("./shopping/unit-words.js")).loadUnits();
const { linesIn } = await import("./taking/lines.js");
const { foldName: plain } = await import("./typing/names.js");
const set = (names) => new Set((names ?? []).map(plain));
const said = ({ name, count, unit, place }) => `${name}|${count}|${unit ?? ""}|${place ?? ""}`;
const run = ({ text, things, places, place }) =>
  linesIn(text, { things: set(things), places: set(places) }, place ?? null).map(said);
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(process.argv[2], "utf8")).map(run)));
"""


def _run(folder: Path, given: list[dict[str, Any]]) -> list[list[str]]:
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
