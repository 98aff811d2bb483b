"""The server reads barcodes in grey pictures, for signed-in people only."""

import os
import subprocess
import sys

import httpx
import pytest

from homeshelf.config import Rate
from homeshelf.scanning.reader import MAX_PIXELS
from homeshelf.table import Database
from tests.barcode_pictures import grey_barcode
from tests.home import Home
from tests.pages import OURS, led_to, see
from tests.running import Person, Visitor, running_app

CODE = "4006381333931"
PICTURE = grey_barcode(CODE)


async def send(
    visitor: Visitor, pixels: bytes, width: int, height: int, **headers: str
) -> httpx.Response:
    path = f"/barcodes?width={width}&height={height}"
    return await visitor.client.post(path, content=pixels, headers=OURS | headers)


async def test_anonymous_callers_and_other_sites_are_refused(home: Home) -> None:
    stranger = await send(home.running.visitor(), *PICTURE)
    assert led_to(stranger).startswith("/sign-in")
    other_site = await send(home.admin, *PICTURE, Origin="https://elsewhere.test")
    assert other_site.status_code == 403


async def test_members_and_children_get_digits_of_barcode(home: Home, kid: Person) -> None:
    for who in (home.admin, kid):
        answer = await send(who, *PICTURE)
        assert (answer.status_code, answer.json()) == (200, {"codes": [CODE]})


async def test_upright_barcode_is_read(home: Home) -> None:
    pixels, width, height = PICTURE
    turned = bytes(pixels[y * width + x] for x in range(width) for y in range(height))
    assert (await send(home.admin, turned, height, width)).json() == {"codes": [CODE]}


async def test_picture_without_barcode_has_no_codes(home: Home) -> None:
    assert (await send(home.admin, os.urandom(300 * 200), 300, 200)).json() == {"codes": []}


@pytest.mark.parametrize(
    ("pixels", "width", "height", "status"),
    [
        (b"\x89PNG\r\n\x1a\n", 2000, 2000, 400),
        (b"", 10, 10, 400),
        (b"..", 1, 1, 400),
        (b".", 0, 1, 400),
        (b".", 65536, 1, 400),
        (b"." * (MAX_PIXELS + 1), 1000, 300, 413),
    ],
)
async def test_anything_but_a_small_picture_is_refused(
    home: Home, pixels: bytes, width: int, height: int, status: int
) -> None:
    assert (await send(home.admin, pixels, width, height)).status_code == status


async def test_pictures_are_limited_per_person(database: Database) -> None:
    async with running_app(database, limit_pictures=Rate(1, 3600)) as running:
        ada, bea = await running.person("ada"), await running.person("bea")
        assert [(await send(ada, *PICTURE)).status_code for _ in range(2)] == [200, 429]
        assert (await send(bea, *PICTURE)).status_code == 200


async def test_pages_with_camera_name_the_reader(home: Home) -> None:
    for path in ("/stock/scan", "/books/new"):
        assert 'data-barcode-reader="/barcodes"' in await see(home.admin, path)


def test_decoder_is_loaded_with_the_first_picture() -> None:
    loaded = "import sys, homeshelf.app; print('zxingcpp' in sys.modules)"
    command = [sys.executable, "-c", loaded]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"False\n"
