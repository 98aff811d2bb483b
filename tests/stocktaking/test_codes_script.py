"""The script validates and compares barcodes as the server does."""

import json
import shutil
import subprocess
from pathlib import Path

import homeshelf
from homeshelf.inventory.barcodes import is_valid_barcode, to_ean13
from tests.cases import seeded_random

SCRIPT = Path(homeshelf.__file__).parent / "web" / "static" / "js" / "scanning" / "barcodes.js"
RIGHT = ["4006381333931", "9780306406157", "96385074", "036000291452", "0036000291452"]
ODD = ["", "0", "0000000", "00000000", "٩٦٣٨٥٠٧٤", "9638507²", "-9638507", "9638507 ", "milk"]
_RUN = """
const { isBarcode, normalizeBarcode } = await import("./barcodes.js");
const { readFileSync } = await import("node:fs");
const run = (code) => [isBarcode(code), normalizeBarcode(code)];
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(process.argv[2], "utf8")).map(run)));
"""


def test_server_and_script_agree_on_any_digits(tmp_path: Path) -> None:
    random = seeded_random()
    others = ["".join(random.choices("0123456789", k=random.randint(6, 15))) for _ in range(2000)]
    codes = [*RIGHT, *ODD, *others]
    assert sum(map(is_valid_barcode, codes)) > len(RIGHT)
    assert _run_script(tmp_path, codes) == [
        [is_valid_barcode(code), to_ean13(code)] for code in codes
    ]


def _run_script(folder: Path, codes: list[str]) -> object:
    node = shutil.which("node")
    assert node, "the tests need Node.js"
    shutil.copyfile(SCRIPT, folder / "barcodes.js")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(_RUN)
    (folder / "codes.json").write_text(json.dumps(codes))
    command = [node, str(folder / "run.js"), str(folder / "codes.json")]
    ran = subprocess.run(command, capture_output=True, check=False)  # Node itself
    assert ran.returncode == 0, ran.stderr.decode()
    return json.loads(ran.stdout)
