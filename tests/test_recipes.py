"""Test the recipes of `CONTRIBUTING.md` in a copy of the tree."""

import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from tests.processes import Served, served_quickly

ROOT = Path(__file__).parents[1]
PASSWORD = "correct horse battery"
NEW_FILE = ""


@dataclass(frozen=True)
class Recipe:
    heading: str
    most_files: int
    edits: Mapping[str, Mapping[str, str]]
    """The text to insert after which text of a file, or the text of a new file."""


FIELD = Recipe(
    "A field of an item",
    5,
    {
        "homeshelf/inventory/model.py": {
            "    notes: Sparse[str] = None\n": "    brand: Sparse[str] = None\n",
        },
        "homeshelf/inventory/fields.py": {
            '_CHOOSE = _("Choose one from the list.")\n': """
Brand = Annotated[str, text(1, 50, "Brand must be 1-50 characters", "At most 50 letters.")]
""",
        },
        "homeshelf/inventory/bodies.py": {
            "    Barcodes,\n": "    Brand,\n",
            "    notes: Notes | None = None\n": "    brand: Brand | None = None\n",
        },
        "homeshelf/inventory/templates/parts.html": {
            '{{ area(form, "notes", _("Notes"), placeholder=_("The double roll")) }}\n': (
                '{{ field(form, "brand", "Brand", required=false) }}\n'
            ),
        },
        "homeshelf/inventory/templates/item.html": {
            "{% block main %}\n": "{% if item.brand %}<p>By {{ item.brand }}</p>{% endif %}\n",
        },
    },
)

SETTING = Recipe(
    "A setting",
    3,
    {
        "homeshelf/config/settings.py": {
            "class Settings(LimitSettings):\n": """\
    notices_shown: int = setting("50", values.count, "How many notices a page shows.")
""",
        },
        "docs/configuration.md": {
            "| --- | --- | --- |\n": (
                "| `HOMESHELF_NOTICES_SHOWN` | `50` | How many notices a page shows. |\n"
            ),
        },
        "homeshelf/notices/pages.py": {
            '    at, _, last = before.partition(" ")\n': (
                "    PAGE_SIZE = view.services.settings.notices_shown\n"
            ),
        },
    },
)

NOTICE = Recipe(
    "A notice of another kind",
    4,
    {
        "homeshelf/notices/model.py": {'NoticeType = Literal["low_stock"': ', "not_counted"'},
        "homeshelf/inventory/not_counted.py": {
            NEW_FILE: '''"""The notice of an item that nobody has counted for some time."""

from datetime import datetime, timedelta

from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.notice_kind import NoticeKind
from homeshelf.notices.model import NoticeState
from homeshelf.outbox.notifications import NotificationText

AFTER = timedelta(seconds=1)


def _moment(item: InventoryItem) -> datetime:
    return datetime.fromisoformat(item.updated_at) + AFTER


NOT_COUNTED = NoticeKind(
    type="not_counted",
    notification="not_counted",
    due=lambda item, _related, now: item.status == "active" and now >= _moment(item),
    next_evaluation=lambda item, _related, now: at if (at := _moment(item)) > now else None,
    text=lambda item, _: NotificationText(f"Count {item.name}", (), "/stock", "Look"),
    state=lambda item, _related: NoticeState("to be counted", "", f"there were {item.quantity}"),
    past=lambda opened, _ended: f"was to be counted {opened}",
)
'''
        },
        "homeshelf/inventory/notices.py": {
            "from homeshelf.inventory.notice_kind import NoticeKind, Related\n": (
                "from homeshelf.inventory.not_counted import NOT_COUNTED\n"
            ),
            "KINDS: tuple[NoticeKind, ...] = (LOW_STOCK,": " NOT_COUNTED",
        },
    },
)

CHANNEL = Recipe(
    "A channel beside mail",
    5,
    {
        "homeshelf/outbox/channels/ntfy.py": {
            NEW_FILE: (ROOT / "tests/outbox/channels/ntfy.py").read_text()
        },
        "homeshelf/accounts/bodies.py": {
            "class Preferences(Body):\n": "    ntfy: dict[str, str] | None = None\n",
        },
        "homeshelf/accounts/api.py": {
            "router = api_router()\n": """
from homeshelf.outbox.channels.ntfy import NtfyAddress
""",
            "(body: Preferences, person: Person, db: Db) -> Response:\n": """\
    if body.ntfy:
        address = NtfyAddress(member_id=person.member_id, **body.ntfy)
        await store.set_address(db, person.account.own_key(), address)
        return Response(status_code=204)
""",
        },
        "homeshelf/accounts/templates/settings.html": {
            '  <form class="form" method="post" action="/settings/preferences">\n': (
                '    <input name="ntfy" aria-label="ntfy">\n'
            ),
        },
    },
)

RECIPES = [FIELD, SETTING, NOTICE, CHANNEL]


def named_files(heading: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text().partition(f"### {heading}\n")[2]
    table = text.partition("| --- | --- |\n")[2].partition("\n\n")[0]
    return re.findall(r"^\| (.*?) \|", table, re.MULTILINE)


def is_named(path: str, row: str) -> bool:
    if row.startswith("where it is used"):
        return path.startswith("homeshelf/")
    return f"`{path}`" in row or ("a new file" in row and f"`{path.rpartition('/')[0]}/`" in row)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.heading)
def test_recipe_lists_each_file_once(recipe: Recipe) -> None:
    rows = named_files(recipe.heading)
    assert len(rows) <= recipe.most_files
    for path in recipe.edits:
        assert any(is_named(path, row) for row in rows), path
    for row in rows:
        is_needed = "if it reads any" not in row
        assert is_needed == any(is_named(path, row) for path in recipe.edits), row


def follow(recipe: Recipe, tree: Path) -> None:
    for path, edits in recipe.edits.items():
        file = tree / path
        for anchor, text in edits.items():
            if anchor == NEW_FILE:
                assert not file.exists()
                file.write_text(text)
                continue
            before = file.read_text()
            assert anchor in before, f"{path} has no {anchor!r}"
            file.write_text(before.replace(anchor, anchor + text))


class Taken(HTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.bodies: list[bytes] = []


class Taking(BaseHTTPRequestHandler):
    server: Taken

    def do_POST(self) -> None:  # the library's name
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def taking() -> Iterator[Taken]:
    with Taken() as server:
        thread = Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def served_from_a_copy(tree: Path) -> Iterator[Served]:
    shutil.copytree(ROOT / "homeshelf", tree / "homeshelf")
    shutil.copytree(ROOT / "docs", tree / "docs")
    for recipe in RECIPES:
        follow(recipe, tree)
    settings = {"HOMESHELF_PUBLIC_URL": "http://127.0.0.1:1", "HOMESHELF_NOTICES_SHOWN": "1"}
    with served_quickly(tree, **settings) as homeshelf:
        yield homeshelf


def test_features_added_by_the_recipes_work(tmp_path: Path) -> None:
    with (
        taking() as ntfy,
        served_from_a_copy(tmp_path) as homeshelf,
        httpx.Client(base_url=f"{homeshelf.url}/api/v1") as ada,
    ):
        who = {"email": "ada@home.local", "password": PASSWORD}
        assert ada.post("/accounts", json=who | {"name": "Ada"}).status_code == 201
        token = ada.post("/tokens", json=who).json()["accessToken"]
        ada.headers["Authorization"] = f"Bearer {token}"
        assert ada.post("/families", json={"name": "Lovelace"}).status_code == 201

        address = {"server": f"http://127.0.0.1:{ntfy.server_port}", "topic": "lovelace"}
        assert ada.patch("/me/preferences", json={"ntfy": address}).status_code == 204

        rice = ada.post("/items", json={"name": "Rice", "quantity": 2, "brand": "Acme"}).json()
        assert rice["brand"] == "Acme"
        path = f"/items/{rice['itemId']}"
        wrong = ada.patch(path, json={"brand": "", "version": rice["version"]})
        assert wrong.json()["errors"][0]["message"] == "Brand must be 1-50 characters"
        assert "By Acme" in ada.get(f"{homeshelf.url}/stock/{rice['itemId']}").text

        def open_notices() -> list[str]:
            found = ada.get("/notifications?status=active").json()["items"]
            return [notice["type"] for notice in found]

        until(lambda: open_notices() == ["not_counted"])
        until(lambda: any(b"Count Rice" in body for body in ntfy.bodies))
        assert ada.post(f"{path}/adjust", json={"delta": -1}).status_code == 200
        assert open_notices() == []
        until(lambda: open_notices() == ["not_counted"])

        page = ada.get(f"{homeshelf.url}/notices").text
        assert "to be counted" in page
        assert page.count("was to be counted") == 0, "one notice is on a page"
        assert "/notices?before=" in page


def until(happened: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.05)
