"""What somebody types is understood on the phone as on the server: the same cases hold both."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import homeshelf

SCRIPTS = Path(homeshelf.__file__).parent / "web" / "static" / "js" / "shopping"
CASES = Path(__file__).with_name("typed_cases.json")
_RUNS = """
import { readFileSync } from "node:fs";
const [{ understood }, { plain }] = await Promise.all(
  ["typed.js", "names.js"].map((name) => import(`./${name}`)));
const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
const found = cases.map(({ text, known }) => understood(text, new Set(known.map(plain))));
process.stdout.write(JSON.stringify(found));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")
def test_the_script_understands_what_the_server_does(tmp_path: Path) -> None:
    for name in ("typed.js", "names.js", "units.js"):
        shutil.copyfile(SCRIPTS / name, tmp_path / name)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "run.js").write_text(_RUNS)
    command = [shutil.which("node") or "", str(tmp_path / "run.js"), str(CASES)]
    ran = subprocess.run(command, capture_output=True, check=False)  # Node itself
    assert ran.returncode == 0, ran.stderr.decode()
    cases = json.loads(CASES.read_text())
    assert len(cases) > 100
    found = json.loads(ran.stdout)
    different = [
        (case, got) for case, got in zip(cases, found, strict=True) if got != case["expected"]
    ]
    assert different == []
