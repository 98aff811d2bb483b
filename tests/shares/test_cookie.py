"""Test the cookie that holds the unlocked lists of a browser."""

from collections.abc import Mapping
from typing import Any

import pytest
from fastapi import Request

from homeshelf.shares.access import NO_GRANT, Grant
from homeshelf.shares.dependencies import MAX_IN_COOKIE, grant_from_cookie, redirect_with_cookie
from homeshelf.shares.model import Shareable
from tests.records import make_record as record
from tests.running import RunningApp, Visitor
from tests.shares.clients import ADMIN, PASSCODES, new_list

SAME, OTHER = {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "cross-site"}


def request_with_cookie(running: RunningApp, cookie: str = "", scheme: str = "http") -> Request:
    headers = [(b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "app": running.app}
    return Request(scope | {"scheme": scheme, "server": ("home.test", 80), "query_string": b""})


def cookie_of_response(
    running: RunningApp, shared: Shareable, grant: Grant, before: str = ""
) -> str:
    response = redirect_with_cookie(request_with_cookie(running, before), "/", shared, grant)
    return response.headers["set-cookie"].partition(";")[0]


@pytest.mark.parametrize(("sent", "status"), [(SAME, 200), (OTHER, 403), ({}, 403)])
async def test_cookie_is_ignored_in_cross_site_requests(
    running: RunningApp, nobody: Visitor, sent: Mapping[str, str], status: int
) -> None:
    made = await new_list(nobody, **PASSCODES["both"])
    shared = await running.db.get(Shareable.key(short_id=made["shortId"]))
    assert shared is not None
    cookie = cookie_of_response(running, shared, Grant("admin", shared.passcode_version("admin")))
    path = f"/shareables/{made['shortId']}"
    change: dict[str, Any] = {"version": 1, "name": "Hiking"}
    assert (await nobody.patch(path, change)).status_code == 401
    answer = await nobody.patch(path, change, headers={"Cookie": cookie, **sent})
    assert answer.status_code == status
    assert (await nobody.get(path, headers={"Cookie": cookie, **OTHER})).status_code == 200
    wrong = await nobody.get(path, headers={"Cookie": cookie, "Authorization": "Bearer x"})
    assert wrong.status_code == 401, "a token that is sent counts, and not the cookie"


async def test_cookie_holds_the_lists_unlocked_last(running: RunningApp) -> None:
    lists = [
        record(Shareable, short_id=f"abc-def-{number:05}") for number in range(MAX_IN_COOKIE + 2)
    ]
    cookie = ""
    for shared in lists:
        cookie = cookie_of_response(running, shared, Grant("view", "v1"), cookie)
    assert len(cookie) < 3000
    found = [
        grant_from_cookie(request_with_cookie(running, cookie), shared.short_id) for shared in lists
    ]
    assert found == [NO_GRANT] * 2 + [Grant("view", "v1")] * MAX_IN_COOKIE
    cookie = cookie_of_response(running, lists[5], Grant("admin", "v2"), cookie)
    assert (
        "set-cookie"
        not in redirect_with_cookie(
            request_with_cookie(running, cookie), "/", lists[6], NO_GRANT
        ).headers
    )
    again = [
        grant_from_cookie(request_with_cookie(running, cookie), lists[number].short_id)
        for number in (4, 5, 6)
    ]
    assert again == [Grant("view", "v1"), Grant("admin", "v2"), Grant("view", "v1")]


async def test_cookie_is_http_only_and_bound_to_the_host(running: RunningApp) -> None:
    shared = record(Shareable, short_id="abc-def-12345")
    response = redirect_with_cookie(
        request_with_cookie(running, scheme="https"), "/", shared, Grant("view", "v1")
    )
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Host-homeshelf-lists=")
    for part in ("HttpOnly", "SameSite=lax", "Secure", "Path=/"):
        assert part in cookie


async def test_token_and_cookie_are_not_interchangeable(
    running: RunningApp, nobody: Visitor
) -> None:
    made = await new_list(nobody, **PASSCODES["view"])
    path = f"/shareables/{made['shortId']}"
    cookie = {"Cookie": f"homeshelf-lists={made['token']}"}
    assert (await nobody.get(path, headers=cookie)).status_code == 401
    shared = await running.db.get(Shareable.key(short_id=made["shortId"]))
    assert shared is not None
    value = cookie_of_response(
        running, shared, Grant("view", shared.passcode_version("view"))
    ).partition("=")[2]
    bearer = {"Authorization": f"Bearer {value}"}
    assert (await nobody.get(path, headers=bearer)).status_code == 401


@pytest.mark.parametrize("planted", ["nothing", "nonsense", "another's"])
async def test_old_cookie_does_not_unlock_later_lists(
    running: RunningApp, nobody: Visitor, planted: str
) -> None:
    made = await new_list(nobody, **PASSCODES["both"])
    theirs = await new_list(nobody, **PASSCODES["both"])
    shared = await running.db.get(Shareable.key(short_id=theirs["shortId"]))
    assert shared is not None
    before = {
        "nothing": "",
        "nonsense": "homeshelf-lists=a.b.c",
        "another's": cookie_of_response(
            running, shared, Grant("admin", shared.passcode_version("admin"))
        ),
    }[planted]
    guest = running.visitor()
    unlocked = await guest.client.post(
        f"/s/{made['shortId']}/unlock",
        data={"passcode": ADMIN},
        headers={"Cookie": before, **SAME},
    )
    after = unlocked.headers["set-cookie"].partition(";")[0]
    assert after != before
    path = f"/shareables/{made['shortId']}"
    for cookie, status in ((before, 401), (after, 200)):
        answer = await nobody.get(path, headers={"Cookie": cookie, **SAME})
        assert answer.status_code == status
