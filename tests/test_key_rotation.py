"""Test that tokens and links stay valid after the signing key was rotated."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from homeshelf import clock
from homeshelf.accounts import tokens
from homeshelf.app import create_app
from homeshelf.config import DynamoDBAt, Settings, SqliteAt
from homeshelf.coordination import signing_keys
from homeshelf.coordination.signing_keys import format_keys, keys_of, look, read_keys, replace_keys
from homeshelf.keyring import LEAD_SECONDS, OVERLAP_SECONDS, Keyring
from homeshelf.private_files import is_open_to_others
from homeshelf.signing import Signer
from homeshelf.table import Database
from homeshelf.web.services import services_of
from tests.forked_processes import run, served
from tests.home import Home, add_child, new_home, token_in, tried
from tests.live.hubs import wait_until
from tests.moment import Moment
from tests.pages import see, send
from tests.processes import on_dynamodb
from tests.running import PASSWORD, SETTINGS, Person, RunningApp, Visitor, running_app
from tests.servers import Server
from tests.shares.clients import new_list
from tests.shares.clients import see as see_list

DAY = 24 * 3600


@dataclass(frozen=True)
class House:
    running: RunningApp
    settings: Settings

    @property
    def signer(self) -> Signer:
        return self.running.signer

    async def rotate(self, *, at_once: bool = False) -> None:
        db = self.running.db
        old = await keys_of(self.settings, db)
        new = old.rotate(clock.seconds(), at_once=at_once)
        assert await replace_keys(self.settings, db, old, new)

    async def notice(self) -> None:
        await look(self.settings, self.running.db, self.signer)


@pytest.fixture
async def house(
    request: pytest.FixtureRequest, database: Database, tmp_path: Path, moment: Moment
) -> AsyncIterator[House]:
    del moment  # whose clock all of it goes by
    embedded = request.node.callspec.params["open_another"] == "sqlite"
    at = SqliteAt(tmp_path / "homeshelf.db") if embedded else DynamoDBAt("eu-central-1", None, "")
    async with opened(database, replace(SETTINGS, secret=None, database=at)) as house:
        yield house


@asynccontextmanager
async def opened(database: Database, settings: Settings) -> AsyncIterator[House]:
    app = create_app(settings, database)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        yield House(RunningApp(app, services_of(app).db, stack), settings)


Check = Callable[[], Awaitable[Any]]


async def held_before(house: House) -> dict[str, Check]:
    running = house.running
    home = await new_home(running, "Lovelace", "ada")
    known = {"email": home.admin.email, "password": PASSWORD}
    pair = (await running.visitor().post("/tokens", known)).json()
    browser, program = running.visitor(), running.visitor()
    await send(browser, "/sign-in", **known)
    program.bear(pair["accessToken"])
    page = (await program.get("/me/sessions", params={"limit": 1})).json()["nextToken"]
    made = await new_list(running.visitor(), viewPasscode="seven-view")
    invitation = await home.invite("bob@home.local")
    bob = await running.person("bob", verified=True)
    child = await add_child(home)
    stop = tokens.unsubscribe_link(house.signer, home.admin.member_id)
    verify = tokens.verification_token(house.signer, (await running.person("eve")).account)
    family = {"name": "Byron"}
    first = await home.admin.post("/families", family, key="once")
    home.admin.client.headers["Homeshelf-Family"] = home.family_id

    async def still_first() -> httpx.Response:
        again = await home.admin.post("/families", family, key="once")
        assert again.json() == first.json()
        return again

    async def shown_again() -> httpx.Response:
        page = await see(home.admin, f"/family/invitations/{invitation['invitationId']}")
        assert token_in(invitation) in page
        return first

    refresh = {"refreshToken": pair["refreshToken"]}
    return {
        "an access token": lambda: program.get("/family", headers=_in(home)),
        "a browser": lambda: browser.client.get("/settings"),
        "a page of a list": lambda: program.get(
            "/me/sessions", params={"limit": 1, "nextToken": page}
        ),
        "the token of a shared list": lambda: see_list(running.visitor(), made, made["token"]),
        "an idempotency key": still_first,
        "a link to end mails": lambda: running.visitor().client.get(stop),
        "a link that verifies": lambda: running.visitor().post(
            "/accounts/verify", {"token": verify}
        ),
        "an invitation on screen": shown_again,
        "an invitation": lambda: bob.post("/invitations/accept", {"token": token_in(invitation)}),
        "a child's link": lambda: tried(running, token_in(child)),
        "a refresh token": lambda: running.visitor().post("/tokens/refresh", refresh),
    }


def _in(home: Home) -> dict[str, str]:
    return {"Homeshelf-Family": home.family_id}


@pytest.mark.parametrize("after", [0, LEAD_SECONDS + 1], ids=["at once", "once the new one signs"])
async def test_tokens_of_the_old_key_stay_valid(house: House, moment: Moment, after: int) -> None:
    held = await held_before(house)
    await house.rotate()
    await house.notice()
    moment.pass_by(after)
    for what, use in held.items():
        answer = await use()
        assert answer.status_code in (200, 201, 204), (what, answer.status_code, answer.text)


async def test_new_key_signs_after_all_processes_have_read_it(house: House, moment: Moment) -> None:
    (old,) = house.signer.keys.keys
    await house.rotate()
    late = Signer(house.signer.keys)  # a process that has not looked yet
    await house.notice()
    assert Signer(old.secret).read("access", house.signer.token("access", 900)) is not None
    moment.pass_by(LEAD_SECONDS)
    made = house.signer.token("access", 900, sub="ada")
    assert Signer(old.secret).read("access", made) is None
    assert Signer(house.signer.keys.keys[0].secret).read("access", made) is not None
    assert late.read("access", made) is None
    assert house.signer.read("access", late.token("access", 900)) is not None


async def test_old_key_is_removed_after_the_overlap(house: House, moment: Moment) -> None:
    (old,) = house.signer.keys.keys
    await house.rotate()
    await house.notice()
    forged = Signer(old.secret).token("access", 10 * OVERLAP_SECONDS, sub="ada")
    moment.pass_by(LEAD_SECONDS + OVERLAP_SECONDS - 1)
    await house.notice()
    assert house.signer.read("access", forged) is not None
    assert len(house.signer.keys.keys) == 2
    moment.pass_by(1)
    assert Signer(house.signer.keys).read("access", forged) is None
    await house.notice()
    assert house.signer.read("access", forged) is None
    kept = await keys_of(house.settings, house.running.db)
    assert kept == house.signer.keys
    assert len(kept.keys) == 1, "nor is it kept anywhere"


async def test_tokens_expire_before_their_key(house: House) -> None:
    home = await new_home(house.running, "Lovelace", "ada")
    asked = {"email": home.admin.email, "password": PASSWORD}
    pair = (await house.running.visitor().post("/tokens", asked)).json()
    made = await new_list(house.running.visitor(), viewPasscode="seven-view")
    for purpose, token in (("refresh", pair["refreshToken"]), ("share", made["token"])):
        says = house.signer.read(purpose, token)  # type: ignore[arg-type]  # these are purposes
        assert says is not None
        assert says["exp"] - clock.seconds() <= OVERLAP_SECONDS - DAY


async def test_immediate_rotation_voids_all_tokens(house: House) -> None:
    held = await held_before(house)
    await house.rotate(at_once=True)
    await house.notice()
    for what in ("an access token", "a browser", "the token of a shared list", "a refresh token"):
        assert (await held[what]()).status_code in (401, 303), what


async def test_running_process_reads_the_new_key(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_keys, "LOOKED_AT_SECONDS", 0.02)
    at = SqliteAt(tmp_path / "homeshelf.db")
    async with opened(database, replace(SETTINGS, secret=None, database=at)) as house:
        await house.rotate()
        await wait_until(lambda: len(house.signer.keys.keys) == 2, within=20)


async def test_one_of_two_concurrent_rotations_is_refused(house: House) -> None:
    db, old = house.running.db, house.signer.keys
    first, second = (old.rotate(clock.seconds()) for _ in range(2))
    assert await replace_keys(house.settings, db, old, first)
    assert not await replace_keys(house.settings, db, old, second)
    assert await keys_of(house.settings, db) == first


async def test_previous_secret_setting_still_verifies(database: Database) -> None:
    other = b"another secret of this house, which is long enough"
    ours = SETTINGS.secret
    assert ours is not None
    async with running_app(database, secret=other, secret_before=ours) as running:
        ada: Person = await running.person("ada")
        visitor: Visitor = running.visitor()
        claims = {"sub": ada.member_id, "sid": ada.session_id}
        for secret in (ours, other):
            visitor.bear(Signer(secret).token("access", 900, **claims))
            assert (await visitor.get("/me")).status_code == 200
        assert Signer(other).read("access", running.access_token(ada.member_id, "x")) is not None
    async with running_app(database, secret=other) as running:
        visitor = running.visitor()
        visitor.bear(Signer(ours).token("access", 900, **claims))
        assert (await visitor.get("/me")).status_code == 401


@pytest.fixture(params=["sqlite", "dynoxide"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    if request.param == "sqlite":
        return {"HOMESHELF_SECRET": ""}
    server: Server = request.getfixturevalue("dynoxide")
    found = on_dynamodb(server, f"{clock.new_id()}.") | {"HOMESHELF_SECRET": ""}
    run(tmp_path, "tables", "create", **found)
    return found


def test_command_keeps_all_sessions(tmp_path: Path, kept: dict[str, str]) -> None:
    known = {"email": "ada@home.local", "password": PASSWORD}
    with served(tmp_path, **kept) as homeshelf:
        api = f"{homeshelf.url}/api/v1"
        httpx.post(f"{api}/accounts", json={**known, "name": "Ada"})
        token = httpx.post(f"{api}/tokens", json=known).json()["accessToken"]
        done = run(tmp_path, "key", "rotate", **kept)
        said = "A new key signs in 120 seconds. The one before counts 61 days.\n"
        assert (done.returncode, done.stdout) == (0, said), done.stderr
        bearer = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{api}/me", headers=bearer).status_code == 200
    with served(tmp_path, **kept) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/api/v1/me", headers=bearer).status_code == 200
    file = tmp_path / "data" / "secret.key"
    if file.exists():
        assert len(read_keys(file).keys) == 2
        assert not is_open_to_others(file)
        run(tmp_path, "backup", "copy.db", **kept)
        elsewhere = {"HOMESHELF_DATA_DIR": "elsewhere", "HOMESHELF_SECRET": ""}
        restored = run(tmp_path, "restore", "copy.db", **elsewhere)
        assert restored.returncode == 0, restored.stderr
        assert read_keys(tmp_path / "elsewhere" / "secret.key") == read_keys(file)
    done = run(tmp_path, "key", "rotate", "--at-once", **kept)
    assert done.stdout == "A new key signs. What the others have signed is void within a minute.\n"
    with served(tmp_path, **kept) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/api/v1/me", headers=bearer).status_code == 401


def test_secret_setting_is_not_rotated_by_the_command(tmp_path: Path) -> None:
    done = run(tmp_path, "key", "rotate")
    assert done.returncode == 2
    assert "HOMESHELF_SECRET_BEFORE" in done.stderr
    assert format_keys(Keyring.of(b"x" * 32)) not in done.stderr
