"""`python -m scripts.check_js`: check the types in the browser's scripts with TypeScript.

`scripts/js/package-lock.json` names the version. Without Node.js it checks nothing, because the
tests run every script in a browser anyway.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from homeshelf.app import SLICES
from homeshelf.errors import Unauthenticated
from homeshelf.web.assets import assets
from homeshelf.web.installable import service_worker_text
from homeshelf.web.offline_rules import join_rules

ROOT = Path(__file__).parents[1]
LOCK = Path(__file__).with_name("js")
CACHE = ROOT / ".cache" / "js"
FILES = ("package.json", "package-lock.json")

SERVICE_WORKER = """{
  "extends": "../../jsconfig.json",
  "compilerOptions": { "lib": ["esnext", "webworker"] },
  "include": ["sw.js", "sw-module.js", "../../homeshelf/*/static/js/*/kinds.js"]
}
"""


def main() -> int:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return 0
    install(npm)
    rules = join_rules(each.offline for each in SLICES)
    for name, sends in (("sw.js", False), ("sw-module.js", True)):
        text = service_worker_text(rules, {Unauthenticated: "/sign-in"}, sends=sends)
        (CACHE / name).write_text(_on_disk(text))
    (CACHE / "jsconfig.json").write_text(SERVICE_WORKER)
    compiler = [
        node,
        str(CACHE / "node_modules" / "typescript" / "bin" / "tsc"),
        "--pretty",
        "false",
    ]
    checks = [[*compiler, "--project", str(at / "jsconfig.json")] for at in (ROOT, CACHE)]
    return max(subprocess.run(check, check=False).returncode for check in checks)  # noqa: S603  # what the lock names


def _on_disk(text: str) -> str:
    """Replace import paths by those in the source tree."""
    return text.replace(f"/static/{assets().hash}/", "../../homeshelf/web/static/")


def install(npm: str) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    mark = CACHE / "installed.json"
    if mark.exists() and mark.read_bytes() == (LOCK / "package-lock.json").read_bytes():
        return
    for name in FILES:
        shutil.copyfile(LOCK / name, CACHE / name)
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit-lockfile-registry-resolved"]
    command = [npm, "ci", "--silent", *options, "--prefix", str(CACHE)]
    subprocess.run(command, check=True)  # noqa: S603  # npm itself
    shutil.copyfile(LOCK / "package-lock.json", mark)


if __name__ == "__main__":
    sys.exit(main())
