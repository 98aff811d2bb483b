"""Access to items."""

from typing import Any

import pytest

from tests.api_client import Shown, add_item, get_item, nothing_changes
from tests.home import NOBODYS, Home
from tests.running import Person, Visitor, problem_of

READS = ["/items", "/items/{id}", "/items/{id}/history", "/items/by-barcode/96385074"]
CHANGES: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", "/items", {"name": "Beans"}),
    ("POST", "/items/batch", {"items": [{"name": "Beans"}, {"name": "Peas"}]}),
    ("PATCH", "/items/{id}", {"name": "Beans", "version": 1}),
    ("DELETE", "/items/{id}", None),
    ("POST", "/items/{id}/adjust", {"delta": -1}),
    ("POST", "/items/{id}/archive", None),
    ("POST", "/items/{id}/unarchive", None),
]
ASKED = [("GET", path, None) for path in READS] + CHANGES


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=1, threshold=2, barcodes=["96385074"])


async def refusal_of(
    stranger: Visitor, item: Shown, asked: tuple[str, str, dict[str, Any] | None]
) -> tuple[int, str]:
    method, path, body = asked
    return problem_of(await stranger.ask(method, path.format(id=item["itemId"]), body))


async def test_anonymous_clients_cannot_read_or_change_items(home: Home, rice: Shown) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            assert await refusal_of(home.running.visitor(), rice, asked) == (401, "unauthenticated")


async def test_other_family_gets_404(home: Home, rice: Shown, neighbour: Person) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            if "{id}" in asked[1] or "barcode" in asked[1]:
                assert await refusal_of(neighbour, rice, asked) == (404, "not_found")
        assert (await neighbour.get("/items?status=all")).json() == {"items": []}


async def test_removed_member_has_no_access(home: Home, rice: Shown, gone: Person) -> None:
    async with nothing_changes(home):
        for asked in ASKED:
            assert await refusal_of(gone, rice, asked) == (403, "no_family")


async def test_suggester_reads_but_cannot_change(home: Home, rice: Shown, kid: Person) -> None:
    async with nothing_changes(home):
        for asked in CHANGES:
            assert await refusal_of(kid, rice, asked) == (403, "forbidden")
    assert (await kid.get("/items")).json() == {"items": [rice]}
    assert await get_item(kid, rice) == rice
    history = (await kid.get(f"/items/{rice['itemId']}/history")).json()
    assert [change["source"] for change in history["items"]] == ["created"]


async def test_role_is_checked_before_item(kid: Person) -> None:
    for item_id in (NOBODYS, "malformed"):
        for asked in CHANGES:
            assert await refusal_of(kid, {"itemId": item_id}, asked) == (403, "forbidden")


async def test_unknown_item_returns_404(home: Home) -> None:
    for item_id in (NOBODYS, "malformed", "x" * 2000, "%00", "ITEM%231"):
        for asked in ASKED:
            if "{id}" in asked[1]:
                item = {"itemId": item_id}
                assert await refusal_of(home.admin, item, asked) == (404, "not_found")


async def test_item_id_is_case_insensitive(home: Home, rice: Shown) -> None:
    assert await get_item(home.admin, {"itemId": rice["itemId"].upper()}) == rice


async def test_responses_contain_no_table_keys(home: Home, rice: Shown) -> None:
    answer = await home.admin.get("/items")
    assert "GSI2" not in answer.text
    assert '"PK"' not in answer.text
    assert '"ttl"' not in (await home.admin.get(f"/items/{rice['itemId']}/history")).text
