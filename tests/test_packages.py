"""Test the built packages, and the program that is installed from the wheel."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

import httpx
import pytest

from homeshelf import __version__
from tests.processes import SECRET, free_port
from tests.servers.programs import LEASH

ROOT = Path(__file__).parents[1]
LICENSE = (ROOT / "LICENSE").read_text()
LOCK = ROOT / "requirements" / "run.txt"
PYENV = Path.home() / ".pyenv" / "versions"
UV, UVX = (Path(sys.executable).with_name(name) for name in ("uv", "uvx"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_wheel_contains_the_licence(built: Path) -> None:
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(wheel.read(about).decode())
        (file,) = metadata.get_all("License-File", [])
        kept = wheel.read(about.replace("METADATA", f"licenses/{file}")).decode()
    assert metadata["License-Expression"] == "MIT"
    assert kept == LICENSE


def test_source_package_contains_the_licence_and_linked_files(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as sources:
        names = {name.partition("/")[2]: name for name in sources.getnames()}
        kept = sources.extractfile(names["LICENSE"])
        assert kept is not None
        assert kept.read().decode() == LICENSE
    assert names.keys() >= {"README.md", "CHANGELOG.md", "docs/README.md"}


@pytest.mark.parametrize(
    "python", ["3.11", *(pytest.param(f"3.{n}", marks=pytest.mark.torture) for n in (12, 13))]
)
def test_installed_wheel_serves_from_an_empty_folder(
    built: Path, tmp_path: Path, python: str
) -> None:
    own = next(PYENV.glob(f"{python}.*/bin/python{python}"), None)
    found = own or shutil.which(f"python{python}")
    if found is None:
        pytest.skip(f"there is no Python {python}")
    (wheel,) = built.glob("*.whl")
    place = tmp_path / "venv"
    run_uv("venv", "--python", str(found), "--no-python-downloads", str(place))
    run_uv("pip", "install", "--python", str(place), "--constraint", str(LOCK), str(wheel))
    check_program([str(place / "bin" / "homeshelf")], tmp_path / "empty")


def test_wheel_serves_with_uvx(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    options = ("--no-python-downloads", "--python", "3.11", "--constraints", str(LOCK))
    check_program([str(UVX), *options, "--from", str(wheel), "homeshelf"], tmp_path / "empty")


def run_uv(*arguments: str) -> None:
    done = subprocess.run([UV, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check_program(program: Sequence[str], folder: Path) -> None:
    """Serve from the folder, sign up, and open a page with its files, in English and German."""
    folder.mkdir()
    kept = {name: each for name, each in os.environ.items() if not name.startswith("HOMESHELF_")}
    settings = {**kept, "HOMESHELF_SECRET": SECRET}
    version = subprocess.run(
        [*program, "--version"],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert version.stdout == f"Homeshelf {__version__}\n"
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-S", str(LEASH), *program, "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, env=settings, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        ada = {"email": "ada@home.local", "password": "correct horse battery", "name": "Ada"}
        assert httpx.post(f"{url}/api/v1/accounts", json=ada).status_code == 201
        page = httpx.get(url, headers={"Accept-Language": "de"})
        assert "Anmelden" in page.text
        files = re.findall(r'"(/static/[^"]+\.(?:css|js))"', page.text)
        assert {name.rpartition(".")[2] for name in files} == {"css", "js"}
        assert all(httpx.get(url + name).status_code == 200 for name in files)
        process.terminate()
    assert (folder / "data" / "homeshelf.db").exists()


def test_licence_is_mit_as_in_the_readme() -> None:
    assert LICENSE.startswith("MIT License\n")
    assert "the Homeshelf authors" in LICENSE
    assert "[MIT](LICENSE)" in (ROOT / "README.md").read_text()
