"""The page of a tag: loading it changes no stock, and a dead tag reveals nothing."""

import asyncio
import base64
import hashlib
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import structlog

from homeshelf import logs
from homeshelf.config.values import Rate
from homeshelf.inventory.store import key_of
from homeshelf.table import Database
from homeshelf.table.operations import Put
from homeshelf.taps import endpoint
from homeshelf.web import health, middleware, problems
from tests.api_client import Shown, add_item, edit_item, get_all_pages, get_item
from tests.home import Home, new_home
from tests.running import running_app
from tests.taps.tags import make_dead_tags, make_tag, tap


def key_in(page: httpx.Response) -> str:
    found = re.search(r'name="key" value="(\w+)"', page.text)
    assert found
    return found[1]


async def test_page_shows_item_and_changes_nothing(
    home: Home, anonymous_client: httpx.AsyncClient, towels: Shown, tag: Shown
) -> None:
    await edit_item(home.admin, towels, name="Rolls & <b>more</b>")
    answer = await anonymous_client.get(f"/t/{tag['urlId']}")
    assert answer.status_code == 200
    for element in ("h1>", "title>"):
        assert f"<{element}Rolls &amp; &lt;b&gt;more&lt;/b&gt;" in answer.text
    assert ">4</span>" in answer.text
    assert f'data-tag="{tag["urlId"]}" data-count="4"' in answer.text, "its script goes on from it"
    assert re.search(r' data-at="[0-9]{10,}"', answer.text), "and knows how old it is"
    assert (await get_item(home.admin, towels))["quantity"] == 4


async def test_empty_item_is_marked_on_page(
    home: Home, anonymous_client: httpx.AsyncClient, tag: Shown
) -> None:
    assert " data-gone" not in (await anonymous_client.get(f"/t/{tag['urlId']}")).text
    await tap(home.running.visitor(), tag, -4)
    assert " data-gone>0</span>" in (await anonymous_client.get(f"/t/{tag['urlId']}")).text


@pytest.mark.parametrize(
    ("quantity", "digits"), [(7, 1), (1234, 4), (12345, 5), (9_999_999_999, 5)]
)
async def test_long_counts_are_marked_for_smaller_text(
    home: Home, anonymous_client: httpx.AsyncClient, quantity: int, digits: int
) -> None:
    tag = await make_tag(home.admin, await add_item(home.admin, quantity=quantity))
    page = (await anonymous_client.get(f"/t/{tag['urlId']}")).text
    assert f'data-digits="{digits}">{quantity}</span>' in page.replace(",", "")


async def test_page_headers_protect_the_address(
    home: Home, anonymous_client: httpx.AsyncClient, tag: Shown
) -> None:
    page = await anonymous_client.get(f"/t/{tag['urlId']}")
    sent = await anonymous_client.post(
        f"/t/{tag['urlId']}", data={"delta": "-1", "key": key_in(page)}
    )
    nothing = await anonymous_client.get(f"/t/{'z' * 22}")
    head = await anonymous_client.head(f"/t/{tag['urlId']}")
    assert [each.status_code for each in (page, sent, nothing, head)] == [200, 303, 404, 200]
    for answer in (page, sent, nothing, head):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-robots-tag"] == "noindex"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "set-cookie" not in answer.headers
    assert head.content == b""
    safe = home.running.visitor(scheme="https").client
    answer = await safe.get(f"/t/{tag['urlId']}")
    assert "strict-transport-security" in answer.headers


async def test_dead_and_unknown_tags_return_identical_pages(
    home: Home, anonymous_client: httpx.AsyncClient
) -> None:
    dead = await make_dead_tags(home)
    for ask in (anonymous_client.get, anonymous_client.head, anonymous_client.post):
        answers = {name: await ask(f"/t/{each['urlId']}") for name, each in dead.items()}
        answers["malformed"] = await ask("/t/x")
        assert {answer.status_code for answer in answers.values()} == {404}
        seen = {
            (tuple(answer.headers.multi_items()), answer.content) for answer in answers.values()
        }
        assert len(seen) == 1
        assert "x-request-id" not in answers["unknown"].headers


async def test_unreadable_item_answers_503_with_the_headers_of_the_page(
    home: Home, anonymous_client: httpx.AsyncClient, towels: Shown, tag: Shown
) -> None:
    item = await home.running.db.get(key_of(home.family_id, towels["itemId"]))
    assert item is not None
    broken = {name: each for name, each in item.item().items() if name != "name"}
    await home.running.db.write(Put(item.table, broken))
    for language, said in (("en", "can’t reach the shelf"), ("de", "nicht zu erreichen")):
        answer = await anonymous_client.get(
            f"/t/{tag['urlId']}", headers={"Accept-Language": language}
        )
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert said in answer.text
        assert answer.headers["content-language"] == language
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "x-request-id" not in answer.headers


async def test_page_is_small_and_includes_its_style(
    anonymous_client: httpx.AsyncClient, tag: Shown
) -> None:
    path = f"/t/{tag['urlId']}"
    for there in (path, "/t/nothing"):
        packed = await anonymous_client.get(there, headers={"Accept-Encoding": "gzip, br"})
        plain = await anonymous_client.get(there, headers={"Accept-Encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding, Accept-Language"
        assert without_key(packed.text) == without_key(plain.text)
        (style,) = re.findall("<style>(.*)</style>", plain.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}';" in plain.headers["content-security-policy"]
        assert "stylesheet" not in plain.text
    page = await anonymous_client.get(path, headers={"Accept-Encoding": "gzip"})
    asked_for = re.findall('src="(/static/[^"]+)"', page.text)
    script = await anonymous_client.get(*asked_for, headers={"Accept-Encoding": "gzip"})
    sizes = [int(answer.headers["content-length"]) for answer in (page, script)]
    assert sum(sizes) < 10_000, sizes


def without_key(page: str) -> str:
    return re.sub('name="key" value="[^"]+"|data-at="[0-9]+"', "", page)


async def test_form_takes_one_and_redirects(
    home: Home, anonymous_client: httpx.AsyncClient, towels: Shown, tag: Shown
) -> None:
    path = f"/t/{tag['urlId']}"
    form = {"delta": "-1", "key": key_in(await anonymous_client.get(path))}
    answers = await asyncio.gather(*(anonymous_client.post(path, data=form) for _ in range(3)))
    assert {(each.status_code, each.headers["location"]) for each in answers} == {(303, path)}
    assert (await get_item(home.admin, towels))["quantity"] == 3
    form["delta"] = "1"
    assert (await anonymous_client.post(path, data=form)).status_code == 303
    history = await get_all_pages(home.admin, f"/items/{towels['itemId']}/history", 10)
    assert [(each["source"], each["delta"]) for each in history[:2]] == [("tap", 1), ("tap", -1)]


@pytest.mark.parametrize(
    "form",
    [{}, {"delta": "-1"}, {"delta": "21", "key": "k"}, {"delta": "x", "key": "k" * 3000}],
)
async def test_malformed_form_returns_400(
    home: Home, anonymous_client: httpx.AsyncClient, towels: Shown, tag: Shown, form: dict[str, str]
) -> None:
    assert (await anonymous_client.post(f"/t/{tag['urlId']}", data=form)).status_code == 400
    assert (await get_item(home.admin, towels))["quantity"] == 4


@pytest.mark.parametrize(("length", "status"), [(2000, 303), (2001, 400)])
async def test_large_form_is_refused(
    anonymous_client: httpx.AsyncClient, tag: Shown, length: int, status: int
) -> None:
    form = b"&delta=-1&key=k".rjust(length, b"x").replace(b"xxxx", b"key=", 1)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = await anonymous_client.post(f"/t/{tag['urlId']}", content=form, headers=kind)
    assert answer.status_code == status


async def test_other_methods_are_refused(anonymous_client: httpx.AsyncClient, tag: Shown) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "BREW"):
        answer = await anonymous_client.request(method, f"/t/{tag['urlId']}")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")


async def test_form_at_concurrently_revoked_tag_returns_404(
    home: Home, tag: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = home.running.db.engine
    transact = engine.transact

    async def revoke_before_commit(writes: Any) -> None:
        monkeypatch.setattr(engine, "transact", transact)
        assert (await home.admin.delete(f"/nfc-urls/{tag['urlId']}")).status_code == 204
        await transact(writes)

    monkeypatch.setattr(engine, "transact", revoke_before_commit)
    client, path = home.running.visitor().client, f"/t/{tag['urlId']}"
    assert (await client.post(path, data={"delta": "-1", "key": "k"})).status_code == 404


async def test_form_is_rate_limited(database: Database) -> None:
    async with running_app(database, limit_taps=Rate(2, 60)) as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(home.admin, await add_item(home.admin, quantity=9))
        client, path = running.visitor().client, f"/t/{tag['urlId']}"
        answers = [
            await client.post(path, data={"delta": "-1", "key": f"k{number}"})
            for number in range(3)
        ]
        assert [each.status_code for each in answers] == [303, 303, 429]
        assert answers[2].headers["retry-after"] == "60"
        assert (await client.get(path)).status_code == 200


async def test_repeated_form_takes_one_once(database: Database) -> None:
    async with running_app(database, limit_taps=Rate(1, 60)) as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(home.admin, await add_item(home.admin, quantity=9))
        client, path = running.visitor().client, f"/t/{tag['urlId']}"
        form = {"delta": "-1", "key": "k"}
        answers = [(await client.post(path, data=form)).status_code for _ in range(3)]
        assert answers == [303, 303, 303]


@pytest.mark.usefixtures("moment")
async def test_requests_for_unknown_tags_are_rate_limited(home: Home, tag: Shown) -> None:
    client = home.running.visitor("198.51.100.9").client
    answers = [(await client.get(f"/t/{'z' * 22}")).status_code for _ in range(121)]
    assert answers == [404] * 120 + [429]
    assert (await client.get(f"/t/{tag['urlId']}")).status_code == 200
    elsewhere = home.running.visitor("198.51.100.10").client
    assert (await elsewhere.get(f"/t/{'z' * 22}")).status_code == 404


@pytest.fixture
def log_stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    before = structlog.get_config()
    logs.configure("debug", stream)
    for module in (endpoint, middleware, problems):  # a logger keeps the stream that it used first
        monkeypatch.setattr(module, "log", structlog.get_logger())
    yield stream
    structlog.configure(**before)


async def test_logs_and_metrics_contain_no_address(
    database: Database, log_stream: io.StringIO
) -> None:
    async with running_app(database, metrics="anyone") as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(home.admin, await add_item(home.admin, quantity=9))
        url_id, client = tag["urlId"], running.visitor().client
        await client.get(f"/t/{url_id}")
        await client.get(f"/t/{url_id}x")
        await client.post(f"/t/{url_id}", data={"delta": "-1", "key": "k"})
        await client.get(f"/t/{url_id}/more")
        await tap(running.visitor(), tag)
        await home.admin.post(f"/nfc-urls/{url_id}/rotate")
        await tap(running.visitor(), tag)
        broken: Any = running.services.db
        working = broken.engine.query
        broken.engine.query = None
        try:
            for path in (f"/t/{url_id}", f"/api/v1/taps/{url_id}"):
                failed = await client.get(path)
                assert failed.status_code == 500
                assert url_id not in f"{failed.text} {failed.headers}"
        finally:
            broken.engine.query = working
    lines = [json.loads(line) for line in log_stream.getvalue().splitlines()]
    of_page = [line for line in lines if line.get("route") == "/t/{urlId}"]
    assert len(of_page) == 4
    assert len({line["tag"] for line in of_page}) == 2
    assert all({"at", "ms", "status", "method", "level"} <= line.keys() for line in of_page)
    assert url_id not in log_stream.getvalue()
    assert url_id[:12] not in log_stream.getvalue()
    assert url_id.encode() not in health.render_metrics()
    assert b'route="/t/{urlId}"' in health.render_metrics()
