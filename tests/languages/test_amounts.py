"""The server and the scripts join a count and its unit alike."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from homeshelf.languages import LANGUAGES
from homeshelf.languages.formats import formats
from tests.browser_scripts import write_scripts

UNITS = ["", "l", "g", "bottles", "500 g", "\u0665\u0660\u0660 غ", "لتر"]
AMOUNTS = [(2, unit) for unit in UNITS]
_SCRIPT = """
globalThis.document = { documentElement: { dir: process.argv[2] } };
const { formatAmount } = await import("./amount.js");
const amounts = JSON.parse(process.argv[3]);
process.stdout.write(JSON.stringify(amounts.map(([count, unit]) => formatAmount(count, unit))));
"""


@pytest.mark.parametrize("code", ["en", "fr", "ar"])
def test_script_joins_amounts_like_the_server(tmp_path: Path, code: str) -> None:
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no Node.js")
    scripts = write_scripts(tmp_path)
    (scripts / "run.js").write_text(_SCRIPT)
    language = LANGUAGES[code]
    command = [node, str(scripts / "run.js"), language.direction, json.dumps(AMOUNTS)]
    ran = subprocess.run(command, capture_output=True, check=True)  # Node itself
    expected = [formats(language).amount(count, unit) for count, unit in AMOUNTS]
    assert json.loads(ran.stdout) == expected
    assert expected[:2] == ["2", "\u20682\xa0l\u2069" if code == "ar" else "2\xa0l"]
