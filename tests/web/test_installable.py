"""The web app manifest: what an installed app shows on a home screen and accepts from others."""

import struct

from homeshelf.web.assets import assets
from tests.home import Home
from tests.pages import look
from tests.running import Person, RunningApp


async def test_manifest_names_shortcuts_in_the_language_of_the_reader(running: RunningApp) -> None:
    client = running.visitor().client
    found = (await client.get("/manifest.webmanifest", headers={"Accept-Language": "de"})).json()
    shortcuts = {each["url"]: each["name"] for each in found["shortcuts"]}
    assert shortcuts == {
        "/stock/scan": "Strichcode scannen",
        "/stock": "Vorrat",
        "/list#text": "Setz etwas auf die Liste",
    }


async def test_pictures_of_manifest_exist_in_their_sizes(running: RunningApp) -> None:
    client = running.visitor().client
    found = (await client.get("/manifest.webmanifest")).json()
    assert {icon["purpose"] for icon in found["icons"] if "purpose" in icon} == {"maskable"}
    for picture in (*found["icons"], *found["screenshots"]):
        content = (await client.get(picture["src"])).content
        assert _size_of(content) == picture["sizes"]
    weights = [len(each.plain) for each in assets().files.values() if each.kind == "image/jpeg"]
    assert sum(weights) < 100_000


async def test_shared_text_is_shown_and_adds_nothing(home: Home, kid: Person) -> None:
    target = (await home.admin.client.get("/manifest.webmanifest")).json()["share_target"]
    assert (target["action"], target["method"]) == ("/list", "GET")
    stranger = await home.running.visitor().client.get("/list?shared=Milk")
    assert stranger.status_code == 401
    text, title = target["params"]["text"], target["params"]["title"]
    for query, shown in ((f"{text}=Milk%0A2+eggs", "Milk, 2 eggs"), (f"{title}=Milk", "Milk")):
        page = await look(home.admin, f"/list?{query}")
        assert page.form("/list/add").fields["text"] == shown
        await look(kid, f"/list?{query}")
    assert (await home.admin.get("/shopping-list")).json()["items"] == []


def _size_of(picture: bytes) -> str:
    """Return width and height of a PNG or of a JPEG."""
    if picture.startswith(b"\x89PNG"):
        width, height = struct.unpack(">II", picture[16:24])
    else:
        start = next(
            at for marker in (b"\xff\xc0", b"\xff\xc2") if (at := picture.find(marker)) > 0
        )
        height, width = struct.unpack(">HH", picture[start + 5 : start + 9])
    return f"{width}x{height}"
