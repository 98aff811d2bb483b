"""Test the built packages."""

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LICENSE = (ROOT / "LICENSE").read_text()


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


def test_licence_is_mit_as_in_the_readme() -> None:
    assert LICENSE.startswith("MIT License\n")
    assert "the Homeshelf authors" in LICENSE
    assert "[MIT](LICENSE)" in (ROOT / "README.md").read_text()
