"""Test the command line."""

import os
import pty
import re
import sqlite3
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from typer.core import TyperCommand

from homeshelf import __version__, clock
from homeshelf.accounts.passwords import COMMON, PERSONAL
from tests.documentation import all_commands
from tests.forked_processes import run, served
from tests.processes import command, environment, free_port, on_dynamodb
from tests.processes import run as run_anew
from tests.servers import Server

DOCS = Path(__file__).parents[1] / "docs" / "commands.md"
PASSWORD = "correct horse battery"


@pytest.mark.parametrize(("path", "found"), all_commands())
def test_every_command_help_has_an_example(path: str, found: TyperCommand) -> None:
    examples = re.findall(r"^    .*homeshelf .*$", found.help or "", re.MULTILINE)
    assert any(path in example for example in examples)


@pytest.mark.parametrize(("path", "found"), all_commands())
def test_docs_list_every_command_with_options_and_examples(path: str, found: TyperCommand) -> None:
    _, heading, rest = DOCS.read_text().partition(f"## {path}\n")
    assert heading, f"docs/commands.md does not name {path}"
    section = rest.partition("\n## ")[0]
    assert (found.help or "").partition(".")[0] in section
    for option in found.params:
        if option.opts[0].startswith("--"):
            row = rf"^\| `{option.opts[0]}` \| .* \| {re.escape(getattr(option, 'help', ''))} \|$"
            assert re.search(row, section, re.MULTILINE), f"{path} {option.opts[0]}"
    for example in re.findall(r"^    .*homeshelf .*$", found.help or "", re.MULTILINE):
        assert example in section


def test_docs_list_no_removed_command() -> None:
    listed = re.findall(r"^## (homeshelf .*)$", DOCS.read_text(), re.MULTILINE)
    assert listed == [path for path, _ in all_commands()]


def test_help_and_version_import_only_what_they_need(tmp_path: Path) -> None:
    assert run_anew(tmp_path, "--version").stdout == f"Homeshelf {__version__}\n"
    assert "homeshelf serve" in run_anew(tmp_path, "--help").stdout
    program = "import sys, homeshelf.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [command()[0], "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"fastapi", "pydantic", "apsw", "structlog", "rich"} & set(loaded.stdout.split())


def test_account_is_created_while_sign_up_is_closed(tmp_path: Path) -> None:
    made = make_account(tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout == "Ada can sign in now with ada@home.local.\n"
    again = make_account(tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "There’s already an account with this e-mail.\n"
    with closing(sqlite3.connect(tmp_path / "data" / "homeshelf.db")) as file:
        kept = "\n".join(file.iterdump())
    assert '"origin":"password"' in kept, "an account says where it comes from"
    with served(tmp_path, HOMESHELF_SIGNUP="closed") as homeshelf:
        assert sign_in(homeshelf.url, PASSWORD).status_code == 200


def test_new_password_ends_all_sessions(tmp_path: Path) -> None:
    make_account(tmp_path)
    with served(tmp_path) as homeshelf:
        token = sign_in(homeshelf.url, PASSWORD).json()["accessToken"]
        reset = run(
            tmp_path,
            *("user", "reset-password", "ADA@home.local", "--password-stdin"),
            typed="another horse battery\n",
        )
        assert reset.stdout == "Ada has a new password, and is signed out everywhere.\n"
        assert sign_in(homeshelf.url, PASSWORD).status_code == 401
        refused = run(
            tmp_path,
            *("user", "reset-password", "ada@home.local", "--password-stdin"),
            typed="qwertyuiop\n",
        )
        assert (refused.returncode, refused.stderr) == (2, f"{COMMON}\n")
        assert sign_in(homeshelf.url, "another horse battery").status_code == 200
        bearer = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{homeshelf.url}/api/v1/me", headers=bearer).status_code == 401


def test_password_link_works_once_and_changes_nothing_before_use(tmp_path: Path) -> None:
    make_account(tmp_path)
    words = ("user", "reset-password", "ADA@home.local", "--link")
    with served(tmp_path) as homeshelf:
        done = run(tmp_path, *words, HOMESHELF_PUBLIC_URL="https://shelf.example")
        said, link = done.stdout.splitlines()
        assert said == "Ada sets a password with this, once, within 24 hours:"
        assert run(tmp_path, *words).stdout.splitlines()[-1].startswith("Put the address of your")
        path = link.removeprefix("https://shelf.example")
        assert sign_in(homeshelf.url, PASSWORD).status_code == 200

        def follow(password: str) -> int:
            origin = {"Origin": homeshelf.url}
            form = {"password": password}
            return httpx.post(f"{homeshelf.url}{path}", data=form, headers=origin).status_code

        assert httpx.get(f"{homeshelf.url}{path}").status_code == 200
        assert follow("another horse battery") == 303
        assert follow("a third horse battery") == 404
        assert sign_in(homeshelf.url, PASSWORD).status_code == 401
        token = sign_in(homeshelf.url, "another horse battery").json()["accessToken"]
        me = httpx.get(
            f"{homeshelf.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}
        ).json()
        assert me["emailVerified"] is False, "nothing was mailed"


def test_password_link_is_refused_with_identity_provider(tmp_path: Path) -> None:
    make_account(tmp_path)
    provider = {
        "HOMESHELF_OIDC_ISSUER": "https://id.example",
        "HOMESHELF_OIDC_AUDIENCE": "homeshelf",
    }
    done = run(tmp_path, "user", "reset-password", "ada@home.local", "--link", **provider)
    said = "People sign in with https://id.example here, not with a password.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_account_is_linked_to_provider_subject(tmp_path: Path) -> None:
    make_account(tmp_path)
    grace = ("user", "create", "grace@home.local", "--name", "Grace", "--password-stdin")
    run(tmp_path, *grace, typed=f"{PASSWORD}\n")
    issuer = {
        "HOMESHELF_OIDC_ISSUER": "https://id.example/",
        "HOMESHELF_OIDC_AUDIENCE": "homeshelf",
    }

    def link(*arguments: str) -> tuple[int, str, str]:
        done = run(tmp_path, "user", "link", *arguments, **issuer)
        return done.returncode, done.stdout, done.stderr

    for _ in range(2):
        linked = "Ada is who https://id.example calls auth0|7.\n"
        assert link("ADA@home.local", "auth0|7") == (0, linked, "")
    taken = "auth0|7 is already linked to another account.\n"
    assert link("grace@home.local", "auth0|7") == (2, "", taken)
    nobody = "There is no account with eve@home.local.\n"
    assert link("eve@home.local", "auth0|8") == (2, "", nobody)
    for wrong in ("", "x" * 256):
        assert link("ada@home.local", wrong) == (2, "", "A sub has 1 to 255 characters.\n")


@pytest.mark.parametrize(
    ("arguments", "typed", "sentence"),
    [
        (
            "user create ada@home.local --name Ada",
            PASSWORD,
            "There is no terminal to type a password at: pipe one in with --password-stdin.",
        ),
        (
            "user create ada@home.local --name Ada --password-stdin",
            "short",
            "Use at least 8 characters, and 128 at most.",
        ),
        ("user create ada@home.local --name Ada --password-stdin", "Password1!", COMMON),
        ("user create ada@home.local --name Ada --password-stdin", "ada12345", PERSONAL),
        (
            "user reset-password eve@home.local --password-stdin",
            PASSWORD,
            "There is no account with eve@home.local; `homeshelf user create` makes one.",
        ),
        (
            "user reset-password eve@home.local --link",
            "",
            "There is no account with eve@home.local; `homeshelf user create` makes one.",
        ),
        (
            "user link ada@home.local auth0|7",
            "",
            "Name the identity provider first, with HOMESHELF_OIDC_ISSUER.",
        ),
    ],
)
def test_failed_command_prints_one_sentence(
    tmp_path: Path, arguments: str, typed: str, sentence: str
) -> None:
    done = run(tmp_path, *arguments.split(), typed=f"{typed}\n")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{sentence}\n")


def test_password_is_typed_twice_without_echo(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("user", "create", "ada@home.local", "--name", "Ada"),
        cwd=tmp_path,
        env=environment({}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as asking:
        os.close(theirs)
        shown = read_until(ours, "Password: ")
        os.write(ours, f"{PASSWORD}\n".encode())
        shown += read_until(ours, "Once more: ")
        os.write(ours, f"{PASSWORD}\n".encode())
        shown += read_until(ours, "Ada can sign in now")
        assert asking.wait(10) == 0
    os.close(ours)
    assert PASSWORD not in shown


def test_doctor_passes_before_and_after_first_start(tmp_path: Path) -> None:
    assert "is not there yet" in sound(tmp_path)
    assert not (tmp_path / "data").exists()
    with served(tmp_path, HOMESHELF_SECRET=""):
        assert "secret.key is for its owner only" in sound(tmp_path)


def test_doctor_explains_key_readable_by_others(tmp_path: Path) -> None:
    with served(tmp_path, HOMESHELF_SECRET=""):
        pass
    key = tmp_path / "data" / "secret.key"
    key.chmod(0o644)
    done = run(tmp_path, "doctor", HOMESHELF_SECRET="")
    assert done.returncode == 1
    assert "WRONG signing key" in done.stdout
    assert "run `chmod 600 data/secret.key`" in done.stdout
    key.write_text("")
    assert "cannot be read" in run(tmp_path, "doctor", HOMESHELF_SECRET="").stdout
    refused = run(tmp_path, "serve", "--port", str(free_port()), HOMESHELF_SECRET="")
    assert refused.returncode == 2
    assert refused.stderr.startswith("The signing key data/secret.key cannot be read; restore it")
    assert "delete" not in refused.stderr


def test_created_files_are_private(tmp_path: Path) -> None:
    """The umask of this test allows everything."""
    with everything_allowed(), served(tmp_path, HOMESHELF_SECRET=""):
        folder = tmp_path / "data"
        names = {"homeshelf.db", "homeshelf.db-wal", "homeshelf.db-shm", "secret.key"}
        assert {file.name for file in folder.iterdir()} == names
        assert {file: rights(file) for file in folder.iterdir() if rights(file) != 0o600} == {}
        assert rights(folder) == 0o700
        assert "for their owner only" in sound(tmp_path)
    with everything_allowed():
        assert run(tmp_path, "demo").returncode == 0
    assert rights(tmp_path / "data-demo") == 0o700
    assert {rights(file) for file in (tmp_path / "data-demo").iterdir()} == {0o600}


def test_open_permissions_are_fixed_or_reported_by_doctor(tmp_path: Path) -> None:
    with served(tmp_path, HOMESHELF_SECRET=""):
        pass
    folder = tmp_path / "data"
    for file in folder.iterdir():
        file.chmod(0o664)
    folder.chmod(0o755)
    with served(tmp_path, HOMESHELF_SECRET=""):
        assert {rights(file) for file in folder.iterdir()} == {0o600}
        done = run(tmp_path, "doctor", HOMESHELF_SECRET="")
    assert (
        "WRONG privacy: others on this machine can use data; run `chmod 700 data`." in done.stdout
    )
    assert done.returncode == 1
    elsewhere = {"HOMESHELF_DATABASE": "sqlite:///data/homeshelf.db", "HOMESHELF_DATA_DIR": "mine"}
    assert "WRONG" not in run(tmp_path, "doctor", **elsewhere).stdout
    folder.chmod(0o775)
    assert "`chmod 700 data`" in run(tmp_path, "doctor", **elsewhere).stdout


def test_doctor_names_invalid_setting(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor", HOMESHELF_METRICS="everyone")
    assert done.returncode == 1
    assert "WRONG settings: HOMESHELF_METRICS must be one of off, local, anyone." in done.stdout


def test_doctor_reports_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada, this is no database, but a long letter.")
    done = run(tmp_path, "doctor", HOMESHELF_DATABASE="sqlite:///letter.txt")
    assert done.returncode == 1
    assert "WRONG database: letter.txt is not a Homeshelf database" in done.stdout


def test_doctor_reports_missing_tables(tmp_path: Path, dynoxide: Server) -> None:
    settings = on_dynamodb(dynoxide, f"{clock.new_id()}.")
    sick = run(tmp_path, "doctor", **settings)
    assert sick.returncode == 1
    assert "Run `homeshelf tables create`." in sick.stdout
    assert run(tmp_path, "tables", "list", **settings).stdout.startswith("There are no tables yet")
    assert run(tmp_path, "tables", "create", **settings).stdout.count("Made ") == 5
    assert run(tmp_path, "tables", "check", **settings).returncode == 0
    well = run(tmp_path, "doctor", **settings)
    assert (well.returncode, "WRONG" in well.stdout) == (0, False)


def test_doctor_reports_unreachable_database(tmp_path: Path) -> None:
    away = Server(f"http://127.0.0.1:{free_port()}", "eu-central-1", "key", "secret")
    done = run(tmp_path, "doctor", **on_dynamodb(away, ""))
    assert done.returncode == 1
    assert f"WRONG database: The database at {away.endpoint} cannot be reached" in done.stdout


def test_demo_is_added_once_beside_existing_data(tmp_path: Path) -> None:
    first, second = (run(tmp_path, "demo", HOMESHELF_SIGNUP="closed") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert "have moved into data-demo" in first.stdout
    assert "live in data-demo" in second.stdout
    assert not (tmp_path / "data").exists()
    with (
        served(tmp_path, HOMESHELF_DATA_DIR="data-demo") as homeshelf,
        httpx.Client(base_url=homeshelf.url) as mina,
    ):
        known = {"email": "mina@demo.example", "password": "homeshelf demo"}
        token = mina.post("/api/v1/tokens", json=known).json()["accessToken"]
        mina.headers["Authorization"] = f"Bearer {token}"
        members = mina.get("/api/v1/members").json()["items"]
        low = mina.get("/api/v1/items", params={"lowStock": "true"}).json()["items"]
    assert sorted(member["role"] for member in members) == ["admin"] * 2 + ["suggester"] * 3
    assert low


def sound(folder: Path) -> str:
    """Return the output of a successful `doctor`."""
    done = run(folder, "doctor", HOMESHELF_SECRET="")
    assert (done.returncode, done.stderr) == (0, "")
    assert "WRONG" not in done.stdout
    assert done.stdout.endswith("\nAll is well.\n")
    return done.stdout


@contextmanager
def everything_allowed() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def make_account(folder: Path) -> "subprocess.CompletedProcess[str]":
    account = ("user", "create", "ada@home.local", "--name", "Ada", "--password-stdin")
    return run(folder, *account, typed=f"{PASSWORD}\n")


def sign_in(url: str, password: str) -> httpx.Response:
    known = {"email": "ada@home.local", "password": password}
    return httpx.post(f"{url}/api/v1/tokens", json=known)


def read_until(descriptor: int, text: str) -> str:
    shown, deadline = "", time.monotonic() + 20
    while text not in shown:
        assert time.monotonic() < deadline, shown
        shown += os.read(descriptor, 1000).decode()
    return shown
