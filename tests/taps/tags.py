"""Tags of a household, through the API.

tag = await make_tag(home.admin, rice, label="pantry")
answer = await tap(running.visitor(), tag, -1)
"""

from typing import Any

import httpx

from homeshelf.taps.model import NFCUrl
from tests.api_client import (
    Shown,
    add_item,
    set_archived,
)
from tests.home import Home
from tests.pages import OURS
from tests.running import Person, Visitor


async def make_tag(admin: Person, item: Shown, **body: Any) -> Shown:
    answer = await admin.post(f"/items/{item['itemId']}/nfc-urls", body or None)
    assert answer.status_code == 201, answer.text
    made: Shown = answer.json()
    return made


async def tap(who: Visitor, tag: Shown, delta: int = -1, **more: Any) -> httpx.Response:
    key = more.pop("key", None)
    return await who.post(f"/taps/{tag['urlId']}", {"delta": delta, **more}, key=key)


async def rotate(admin: Person, tag: Shown) -> Shown:
    answer = await admin.post(f"/nfc-urls/{tag['urlId']}/rotate")
    assert answer.status_code == 200, answer.text
    new: Shown = answer.json()["newUrl"]
    return new


async def stored(home: Home, tag: Shown) -> NFCUrl:
    key = NFCUrl.key(family_id=home.family_id, item_id=tag["itemId"], url_id=tag["urlId"])
    found = await home.running.db.get(key)
    assert found is not None
    return found


def path_of(item: Shown) -> str:
    return f"/stock/{item['itemId']}/tags"


async def look(person: Person, path: str) -> str:
    shown = await person.client.get(path, headers=OURS)
    assert shown.status_code == 200, shown.text
    return shown.text


async def change(home: Home, tag: Shown, **changes: Any) -> None:
    await home.running.db.put((await stored(home, tag)).changed(**changes))


async def make_dead_tags(home: Home) -> dict[str, Shown]:
    """Make a dead tag of each kind."""
    items = [await add_item(home.admin, quantity=9) for _ in range(4)]
    rotated, revoked, archived, deleted = [await make_tag(home.admin, each) for each in items]
    await rotate(home.admin, rotated)
    await home.admin.delete(f"/nfc-urls/{revoked['urlId']}")
    await set_archived(home.admin, items[2], "archive")
    await home.admin.delete(f"/items/{items[3]['itemId']}")
    return {
        "unknown": rotated | {"urlId": "z" * 22},
        "rotated": rotated,
        "revoked": revoked,
        "archived": archived,
        "deleted": deleted,
    }
