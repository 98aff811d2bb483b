"""Test the faults that are injected into scripts."""

from pathlib import Path

import pytest

from scripts.check_js import CACHE
from scripts.faults import Fault
from scripts.mutants import ROOT
from scripts.script_faults import (
    SERVICE_WORKER,
    TESTS,
    faults_in_scripts,
    script_paths,
    script_tests,
)

FOLDER = Path("homeshelf/web/static/js")

pytestmark = pytest.mark.skipif(
    not (CACHE / "installed.json").exists(), reason="`make check` installs TypeScript"
)

SCRIPT = """// Øl: 1 === 1, and a call()
import { wait } from "./wait.js";

/** @type {{isNew: true, size: 2} | null} */
let state = null;
let turn = 0;
const LIMIT = 3;

/** @param {"a" | 1} one */
export async function late(one) {
  if (one && state) {
    await wait(7);
    return one;
  }
  return await wait(one === 2 ? 100 : 3, state ?? []);
}

async function last() {
  await wait();
}
"""
FOUND = [
    ("LIMIT = 3", "LIMIT = 4"),
    ("  await wait();", "  ;"),
    ("if (one && state) {", "if (false) {"),
    ("if (one && state) {", "if ((one)) {"),
    ("    await wait(7);", "    ;"),
    ("await wait(7);", "wait(7);"),
    ("wait(7)", "wait(8)"),
    ("    return one;", "    ;"),
    ("(one === 2 ?", "((one !== 2) ?"),
    ("(one === 2 ?", "(false ?"),
    ("2 ? 100 :", "3 ? 100 :"),
    ("? 100 :", "? 1000 :"),
    (": 3,", ": 4,"),
]


def broken(root: Path, path: Path) -> list[str]:
    source = (root / path).read_bytes()
    return [fault.put_into(source).decode() for fault in faults_in_scripts(root, [path])]


def test_faults_are_injected_into_code_and_not_comments(tmp_path: Path) -> None:
    (tmp_path / "late.js").write_text(SCRIPT)
    expected = [SCRIPT.replace(before, after, 1) for before, after in FOUND]
    assert sorted(broken(tmp_path, Path("late.js"))) == sorted(expected)


def test_a_script_that_does_not_parse_is_refused(tmp_path: Path) -> None:
    (tmp_path / "half.js").write_text("export function half() {\n  if (true) {\n")
    with pytest.raises(SystemExit, match="SyntaxError"):
        faults_in_scripts(tmp_path, [Path("half.js")])


@pytest.fixture(scope="module")
def all_faults() -> list[Fault]:
    return faults_in_scripts(ROOT, script_paths(ROOT, "scripts"))


def test_every_fault_changes_its_script(all_faults: list[Fault]) -> None:
    assert {FOLDER / "app.js", FOLDER / "queue/change-list.js", SERVICE_WORKER} <= {
        *script_paths(ROOT, "scripts")
    }
    for fault in all_faults:
        source = (ROOT / fault.path).read_bytes()
        assert fault.put_into(source) != source, fault


def test_the_service_worker_stays_a_template(all_faults: list[Fault]) -> None:
    source = (ROOT / SERVICE_WORKER).read_bytes()
    found = [fault.put_into(source) for fault in all_faults if fault.path == SERVICE_WORKER]
    tags = [b"{{ hash }}", b"{{ files|tojson }}", b"{{ sending }}", b"{% endif %}"]
    assert found
    assert all(tag in text for text in found for tag in tags)


def test_script_or_folder_is_selected_by_name() -> None:
    assert script_paths(ROOT, "scripts/sw.js") == [SERVICE_WORKER]
    assert script_paths(ROOT, "scripts/toast.js") == [FOLDER / "toast.js"]
    queue = script_paths(ROOT, "scripts/queue")
    assert FOLDER / "queue/change-list.js" in queue
    assert {path.parent for path in queue} == {FOLDER / "queue"}
    (tags,) = script_paths(ROOT, "scripts/tags")
    assert tags == Path("homeshelf/taps/static/js/tags/write-tag.js")


def test_every_script_has_tests_that_exist() -> None:
    for path in script_paths(ROOT, "scripts"):
        assert script_tests(path)
        assert all((ROOT / test).is_file() for test in script_tests(path)), path
    for name in TESTS:
        assert script_paths(ROOT, f"scripts/{name}"), name
