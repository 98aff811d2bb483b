"""A slice is its folder and its line in `app.py`: without both, the rest starts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rooms import PROGRAM, SLICES, naming

STARTED = """
import asyncio, httpx
from homeshelf.app import SLICES, create_app
from homeshelf.commands import doctor

NAMES = [each.name for each in SLICES]
ADA = {"email": "ada@home.local", "password": "a fine engine"}

async def ask() -> None:
    app = create_app()
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            print("answers", (await client.get("/healthz")).status_code, *NAMES)
            await open_all(app, client)
            if "accounts" in NAMES:
                await client.post("/api/v1/accounts", json=ADA | {"name": "Ada"})
                tokens = (await client.post("/api/v1/tokens", json=ADA)).json()
                client.headers["Authorization"] = "Bearer " + tokens["accessToken"]
            if "families" in NAMES:
                await client.post("/api/v1/families", json={"name": "Lovelace"})
                await open_all(app, client)

async def open_all(app, client) -> None:
    for route in app.routes:
        if "GET" in (route.methods or ()) and "{" not in route.path and route.name != "events":
            assert (await client.get(route.path)).status_code < 500, route.path

asyncio.run(ask())
assert doctor.examine() == 0
"""


@pytest.mark.parametrize("name", SLICES)
def test_without_a_slice_and_those_that_name_it_the_rest_starts(name: str, tmp_path: Path) -> None:
    gone = {name, *naming(name)}
    _copy_without(gone, tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "HOMESHELF_DATA_DIR": "data"}
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (answered,) = re.findall(r"^answers (\d+) ?(.*)$", done.stdout, re.MULTILINE)
    assert (answered[0], set(answered[1].split())) == ("200", set(SLICES) - gone)


def _copy_without(gone: set[str], folder: Path) -> None:
    """What is not deleted need not be copied: it is linked to."""
    copy = folder / "homeshelf"
    copy.mkdir()
    for path in PROGRAM.iterdir():
        if path.name not in {*gone, "app.py"}:
            (copy / path.name).symlink_to(path)
    lines = re.compile(rf"^ +({'|'.join(gone)})(\.SLICE)?,\n", re.MULTILINE)
    app, number = lines.subn("", (PROGRAM / "app.py").read_text())
    assert number == 2 * len(gone)
    (copy / "app.py").write_text(app)
