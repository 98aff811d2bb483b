import asyncio
import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from homeshelf import logs
from homeshelf.accounts import passwords
from homeshelf.signing import Signer
from homeshelf.web.body import NewBody

TOKEN = Signer(b"the secret of these tests").token("access", 900, sub="ada")
HASH = passwords.hash_password_blocking("correct horse battery")
SECRET = "hunter" + str(2)  # put together here, because tracebacks show lines of this file
NAMES = "password newPassword passcode view_passcode token refreshToken secret Authorization cookie"
MORE_NAMES = "Set-Cookie aws_secret_access_key api-key credentials"
Written = Callable[[], str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(params=[io.StringIO, Terminal])
def written(request: pytest.FixtureRequest) -> Iterator[Written]:
    stream = request.param()
    before = logging.getLogger().handlers[:]
    logs.configure("info", stream)
    yield stream.getvalue
    structlog.reset_defaults()
    logging.basicConfig(handlers=before, force=True)


@pytest.mark.parametrize("name", f"{NAMES} {MORE_NAMES}".split())
def test_fields_named_like_secrets_are_hidden(written: Written, name: str) -> None:
    structlog.get_logger().warning("something", **{name: SECRET}, about={name: [SECRET]})
    assert SECRET not in written()
    assert written().count("[hidden]") == 2


@pytest.mark.parametrize(
    "text",
    [
        f"the token {TOKEN} was refused",
        f"Authorization: Bearer {TOKEN}",
        "authorization: bearer hunter2",
        "Authorization: Basic aHVudGVyMg==",
        "password=hunter2&name=ada",
        "{'password': 'hunter2', 'name': 'ada'}",
        '{"currentPassword": "a hunter2 with spaces", "name": "ada"}',
        "Cookie: theme=dark; homeshelf=hunter2",
        f"found {HASH} for ada",
        "GET /join/hunter2-_hunter2 failed",
        "http://shelf.example/sign-in-link/hunter2",
        "http://shelf.example/t/hunter2",
        "passcode: hunter2",
    ],
)
def test_text_that_looks_like_a_secret_is_hidden(written: Written, text: str) -> None:
    structlog.get_logger().warning(text, detail=text, several=[text], raw=text.encode())
    logging.getLogger("aiohttp.client").warning("it says %s", text)
    for secret in (SECRET, "aHVudGVyMg", TOKEN, TOKEN[:40], HASH, HASH[-20:]):
        assert secret not in written()


def test_exceptions_are_logged_without_secrets(written: Written) -> None:
    try:
        _go_wrong()
    except RuntimeError as error:
        structlog.get_logger().error("unforeseen", exc_info=error)
        logging.getLogger("asyncio").critical("never retrieved", exc_info=error)
    assert written().count("cannot read password=[hidden] of [hidden]") == 2
    assert written().count("RuntimeError: it went wrong, token=[hidden]") == 2
    assert SECRET not in written()


def test_refused_body_is_not_logged(written: Written) -> None:
    class SignIn(NewBody):
        passphrase: int
        other: int

    try:
        SignIn.model_validate({"passphrase": SECRET, "other": {"deep": SECRET}})
    except ValueError as error:
        structlog.get_logger().error("refused", exc_info=error, text=str(error))
    assert SECRET not in written()


@given(
    before=st.text(max_size=20),
    after=st.text(max_size=20).filter(lambda text: not text[:1].isalnum()),
    claims=st.dictionaries(st.from_regex("[a-z]{1,5}", fullmatch=True), st.text(max_size=20)),
)
def test_tokens_are_hidden_everywhere(before: str, after: str, claims: dict[str, str]) -> None:
    token = Signer(b"the secret of these tests").token("web", 900, **claims)
    text = logs.without_secrets(f"{before}{token}{after}")
    assert token.rpartition(".")[2] not in text
    assert token.split(".")[1] not in text


def test_lines_are_json_without_a_terminal() -> None:
    stream = io.StringIO()
    logs.configure("info", stream)
    try:
        structlog.get_logger().info("request", route="/healthz", status=200, odd=object)
        line = json.loads(stream.getvalue())
    finally:
        structlog.reset_defaults()
    assert (line["event"], line["level"], line["status"]) == ("request", "info", 200)
    assert line["at"].endswith("Z")


def test_unwritable_line_is_dropped() -> None:
    before = logging.getLogger().handlers[:]
    full = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115  # to close it fails
    logs.configure("info", full)
    try:
        structlog.get_logger().info("something")
        logging.getLogger("of a library").warning("something")
    finally:
        structlog.reset_defaults()
        logging.basicConfig(handlers=before, force=True)
        with pytest.raises(OSError, match="No space left"):
            full.close()


def test_log_level_filters_lines() -> None:
    stream = io.StringIO()
    logs.configure("warning", stream)
    try:
        structlog.get_logger().info("request")
    finally:
        structlog.reset_defaults()
    assert stream.getvalue() == ""


async def test_lines_contain_the_request_id(written: Written) -> None:
    async def handle() -> None:
        structlog.contextvars.bind_contextvars(request_id="one")
        structlog.get_logger().info("handled")

    await asyncio.create_task(handle())
    assert "one" in written()


def test_server_does_not_import_rich_tracebacks() -> None:
    modules = "homeshelf.commands.serve, homeshelf.commands.process"
    program = f"import sys, {modules}; assert 'rich' not in sys.modules; import rich"
    subprocess.run([sys.executable, "-c", program], check=True)


def _go_wrong() -> None:
    try:
        raise ValueError(f"cannot read password='{SECRET}' of {TOKEN}")  # noqa: TRY301  # as it is
    except ValueError as first:
        raise RuntimeError(f"it went wrong, token={SECRET}") from first
