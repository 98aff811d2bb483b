"""Households to move: on a disk, in their own tables, and as files of families and people."""

import hashlib
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from typing import Any

import apsw
import httpx
import pytest

from homeshelf import clock
from homeshelf.app import SLICES
from homeshelf.commands.files import import_records
from homeshelf.home.steps import SettledStep
from homeshelf.moving.export import export_records
from homeshelf.moving.file_import import read_file
from homeshelf.shopping.habits import HabitLearner
from homeshelf.shopping.model import Purchase, StorePlace, digest_name
from homeshelf.suggestions.model import CreatedItem, HeardAnswer
from homeshelf.table import TABLES, Database, Record
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.table.sqlite.file import open_file
from homeshelf.taps.model import WeekOfTaps
from homeshelf.taps.use_counts import AccessCounts
from tests.api_client import add_item, add_place, adjust, make_barcodes
from tests.databases import ENGINES, Opener, UsedTables, tables
from tests.forked_processes import run
from tests.home import Home
from tests.processes import Served
from tests.running import PASSWORD, Person, RunningApp, Visitor, running_app
from tests.taps.tags import make_tag, tap

ADA = {"email": "ada@home.local", "password": PASSWORD}


def house_variables(folder: Path, data: str = "data") -> dict[str, str]:
    """Return the variables of a house with its signing key beside its data."""
    return {"HOMESHELF_DATA_DIR": str(folder / data), "HOMESHELF_SECRET": ""}


def create_account(folder: Path, variables: Mapping[str, str]) -> Path:
    """Create Ada's account and return the path of the database."""
    words = ("user", "create", ADA["email"], "--name", "Ada", "--password-stdin")
    done = run(folder, *words, typed=f"{PASSWORD}\n", **variables)
    assert done.returncode == 0, done.stderr
    return Path(variables["HOMESHELF_DATA_DIR"], "homeshelf.db")


def empty_file(path: Path) -> Path:
    open_file(path).close()
    return path


def run_backup(
    folder: Path, variables: Mapping[str, str], *more: str
) -> "subprocess.CompletedProcess[str]":
    done = run(folder, "backup", *more, **variables)
    assert done.returncode == 0, done.stderr
    return done


def refusal_of(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the only sentence of a command that refused."""
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def hash_files(folder: Path) -> dict[str, str]:
    """Return the content and mode of every file in a folder."""
    return {
        str(file.relative_to(folder)): f"{file.stat().st_mode:o} "
        + hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def execute_sql(path: Path, statement: str, *values: object) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement, values)


@contextmanager
def signed_in_client(homeshelf: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{homeshelf.url}/api/v1") as client:
        answer = client.post("/tokens", json=ADA)
        assert answer.is_success, answer.text
        client.headers["Authorization"] = f"Bearer {answer.json()['accessToken']}"
        yield client


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    return house_variables(tmp_path)


@pytest.fixture
def backup(tmp_path: Path, variables: dict[str, str]) -> Path:
    """The backup of a house with Ada's account. The house still exists."""
    create_account(tmp_path, variables)
    (tmp_path / "data" / "secret.key").write_text("A" * 43)
    run_backup(tmp_path, variables, "backup.db")
    return tmp_path / "backup.db"


def number_in(path: Path, question: str) -> int:
    with closing(apsw.Connection(str(path))) as connection:
        return int(connection.execute(question).get)


def families_in(path: Path) -> list[str]:
    found = "SELECT item ->> '$.name' FROM InventoryManagement WHERE SK LIKE 'FAMILY#%'"
    with closing(apsw.Connection(str(path))) as connection:
        return [name for (name,) in connection.execute(found)]


SECRET = b"the secret of another house, which is long enough"


@pytest.fixture
async def other_house(
    request: pytest.FixtureRequest,
    open_another: Opener,  # noqa: ARG001  # of the same engine
    tmp_path: Path,
) -> AsyncIterator[RunningApp]:
    if request.node.callspec.params["open_another"] == "sqlite":
        path = tmp_path / "elsewhere.db"
        copy(request.getfixturevalue("new_file"), path)
        async with serve_other_house(Database(Sqlite(path))) as running:
            yield running
        return
    tables: UsedTables = request.getfixturevalue("tables_of_dynoxide")
    async with (
        tables.taken() as prefix,
        serve_other_house(Database(tables.engine(prefix))) as running,
    ):
        yield running


@dataclass(frozen=True)
class TwoHouses:
    here: RunningApp
    there: RunningApp


@pytest.fixture(scope="module", params=ENGINES)
async def two_houses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[TwoHouses]:
    """Two prepared databases, shared by tests that do not change them."""
    async with AsyncExitStack() as stack:
        opened = []
        for secret in ({}, {"secret": SECRET}):
            folder = tmp_path_factory.mktemp("house")
            open_one = await stack.enter_async_context(tables(request, folder))
            opened.append(await stack.enter_async_context(running_app(open_one(), **secret)))
        yield TwoHouses(*opened)


@asynccontextmanager
async def serve_other_house(db: Database) -> AsyncIterator[RunningApp]:
    try:
        async with running_app(db, secret=SECRET) as running:
            yield running
    finally:
        await db.close()


async def sign_in_member(running: RunningApp, member_id: str) -> Visitor:
    """Sign in an imported member, who has no password yet."""
    session = await running.session_of(member_id)
    visitor = running.visitor()
    visitor.bear(running.access_token(member_id, session.session_id))
    return visitor


Exported = dict[str, Any]
(CODE,) = make_barcodes(1)
BACKGROUND_KEYS = ("LEASE#", "TODO#", "SHORTID#", *"0123456789")
"""Key prefixes of background work and of unused short ids."""


async def export_family(home: Home) -> bytes:
    text, _ = await export_records(home.running.db, SLICES, "family", home.family_id)
    return text


async def import_family(home: Home, there: RunningApp, text: bytes | None = None) -> list[str]:
    """Import the family into another house and return the lines about its people."""
    text = text or await export_family(home)
    _, said = await import_records(there.services, read_file(text, SLICES))
    return said


async def fill_household(home: Home, kid: Person) -> dict[str, Any]:
    """Add one record of every kind that a household makes at once."""
    ada = home.admin
    pantry = await add_place(ada, "locations", "Pantry")
    shop = await add_place(ada, "stores", "Corner shop")
    rice = await add_item(
        ada,
        name="Rice",
        quantity=3,
        threshold=2,
        locationId=pantry["locationId"],
        preferredStoreId=shop["storeId"],
        barcodes=[CODE],
    )
    await adjust(ada, rice, -2)
    tag = await make_tag(ada, rice, label="shelf")
    assert (await tap(home.running.visitor(), tag, 1)).status_code == 200
    salt = await add_item(ada, name="Salt", quantity=0, threshold=2)
    entry = (await ada.post("/shopping-list", {"itemId": rice["itemId"]})).json()
    cake = (await ada.post("/shopping-list", {"name": "Cake"})).json()
    bought = {"status": "purchased", "version": 1}
    await ada.patch(f"/shopping-list/{cake['shoppingItemId']}/status", bought)
    kite = {"type": "create_item", "proposedItemName": "Kite"}
    wish = (await kid.post("/suggestions", kite)).json()
    child = (await ada.post("/members", {"name": "Byron"})).json()
    invitation = await home.invite("guest@home.local")
    await flush_buffers(home)
    return {
        "rice": rice,
        "salt": salt,
        "tag": tag,
        "entry": entry,
        "wish": wish,
        "child": child,
        "invitation": invitation,
    }


async def flush_buffers(home: Home) -> None:
    """Write buffered taps and purchases now instead of after half a second."""
    await home.running.services.of(HabitLearner).flush()
    await home.running.services.of(AccessCounts).flush()


async def add_later_records(home: Home, made: dict[str, Any]) -> None:
    """Add the records that a household gets after some weeks."""
    family_id, at, ttl = home.family_id, clock.timestamp(), clock.seconds() + 10**6
    item_id, url_id = made["rice"]["itemId"], made["tag"]["urlId"]
    digest = digest_name(family_id, "Cake")
    bought: dict[str, Any] = {
        "family_id": family_id,
        "name": "Cake",
        "name_digest": digest,
        "ttl": ttl,
    }
    records: list[Record] = [
        Purchase(shopping_item_id=clock.new_id(), added_at=at, bought_at=at, **bought),
        StorePlace(position=7, ticked_at=at, **bought),
        SettledStep(family_id=family_id, name="places", state="done"),
        HeardAnswer(family_id=family_id, suggestion_id=made["wish"]["suggestionId"], ttl=ttl),
        CreatedItem(
            family_id=family_id, suggestion_id=made["wish"]["suggestionId"], item_id=item_id
        ),
        WeekOfTaps(
            family_id=family_id,
            item_id=item_id,
            url_id=url_id,
            week="2024-01-01",
            count=3,
            ttl=ttl,
        ),
    ]
    for record in records:
        await home.running.db.put(record)


async def active_notices(ada: Visitor) -> list[str]:
    """Return the names of items with an active notice."""
    found = (await ada.get("/notifications?status=active")).json()["items"]
    return sorted(each["itemName"] for each in found)


async def all_records(db: Database) -> list[Any]:
    """Return all items except those of background work."""
    found = [(await db.engine.scan(table, 100_000)).items for table in TABLES]
    return [
        [
            each
            for each in items
            if not str(each.get("PK", each.get("pk"))).startswith(BACKGROUND_KEYS)
        ]
        for items in found
    ]
