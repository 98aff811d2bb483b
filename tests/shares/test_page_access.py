"""Check the access of every kind of visitor against a table, for every page of a list."""

from typing import Literal

import pytest

from homeshelf.app import create_app
from homeshelf.errors import Expired
from homeshelf.shares.access import VIEW, Grant, require_access
from homeshelf.shares.model import Role
from homeshelf.shares.store import ListWithItems
from tests.moment import Moment
from tests.routes import every_route
from tests.running import SETTINGS, RunningApp
from tests.shares.clients import OURS, Guest, names_of, now, store_list

DAY = 24 * 3600
Needs = Literal["view", "admin"]

PAGES: dict[str, tuple[Needs, bool]] = {
    "GET /s/{shortId}": ("view", True),
    "GET /s/{shortId}/share": ("view", True),
    "GET /s/{shortId}/print": ("view", True),
    "GET /s/{shortId}/items/{checklistItemId}/row": ("view", True),
    "POST /s/{shortId}/who": ("view", True),
    "POST /s/{shortId}/items/{checklistItemId}/tick": ("view", False),
    "POST /s/{shortId}/items": ("admin", False),
    "POST /s/{shortId}/items/restore": ("admin", False),
    "GET /s/{shortId}/items/{checklistItemId}": ("admin", False),
    "POST /s/{shortId}/items/{checklistItemId}": ("admin", False),
    "POST /s/{shortId}/items/{checklistItemId}/move": ("admin", False),
    "GET /s/{shortId}/order": ("admin", False),
    "GET /s/{shortId}/settings": ("admin", False),
    "POST /s/{shortId}/settings": ("admin", False),
    "GET /s/{shortId}/copy": ("admin", True),
    "POST /s/{shortId}/copy": ("admin", True),
    "POST /s/{shortId}/items/{checklistItemId}/delete": ("admin", False),
    "POST /s/{shortId}/delete": ("admin", True),
}
"""The operation of each page, and whether it is allowed on an expired list."""
FOR_THE_SIGNED_IN = {"POST /s/{shortId}/keep", "POST /s/{shortId}/forget"}
FOR_ANYBODY = {"GET /s/{shortId}/unlock", "POST /s/{shortId}/unlock"}

FORM = {
    "name": "Camping",
    "note": "",
    "version": "1",
    "checked": "1",
    "to": "down",
    "who": "",
    "before": "",
}
FIELDS = {
    "/who": ("who",),
    "/tick": ("checked",),
    "/items": ("name",),
    "/restore": ("name", "note", "before", "checked"),
    "/move": ("to",),
    "/settings": ("name", "note", "version"),
    "/copy": ("name",),
    "/{checklistItemId}": ("name", "note"),
}

SITUATIONS = [(None, None), ("see it", None), (None, "change it"), ("see it", "change it")]
GRANTED: dict[tuple[bool, bool], dict[str | None, Needs | None]] = {
    (False, False): {None: "admin"},
    (True, False): {None: None, "view": "admin"},
    (False, True): {None: "view", "admin": "admin"},
    (True, True): {None: None, "view": "view", "admin": "admin"},
}
"""The access by the passcodes that are set and the passcode that the visitor knows."""


def test_access_table_lists_every_page() -> None:
    paths = {
        str(route)
        for route in every_route(create_app(SETTINGS))
        if route.path.startswith("/s/{shortId}")
    }
    assert paths == PAGES.keys() | FOR_THE_SIGNED_IN | FOR_ANYBODY


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
async def test_access_of_every_page_equals_the_table(
    running: RunningApp, situation: tuple[str | None, str | None]
) -> None:
    view, admin = situation
    granted = GRANTED[view is not None, admin is not None]
    made = await store_list(running, "Tent", "Rope", view=view, admin=admin)
    for page, (needs, _) in PAGES.items():
        for role, access in granted.items():
            expected = _expected_status(page, needs, access, role)
            assert await _visit(running, page, made, role) == expected, (page, role)
            if page.startswith("GET"):
                continue
            if expected in (401, 403):
                assert await now(running, made) == made
            else:
                made = await store_list(running, "Tent", "Rope", view=view, admin=admin)


@pytest.mark.parametrize("kind", ["of another list", "of an old passcode", "signed in"])
async def test_cookie_of_another_list_grants_nothing(running: RunningApp, kind: str) -> None:
    stranger = await running.person("stranger")
    made = await store_list(running, "Tent", view="see it", admin="change it")
    if kind == "of another list":
        other = await store_list(running, view="see it", admin="change it")
        guest = Guest(running).unlock_with(other.shared, "admin")
    elif kind == "of an old passcode":
        guest = Guest(running).unlock_with(
            made.shared.changed(admin_passcode="another hash"), "admin"
        )
    else:
        guest = Guest(running, stranger)
    for page in PAGES:
        assert await _visit(running, page, made, None, guest) == 401, page
        assert await now(running, made) == made


@pytest.mark.parametrize("has_admin", [True, False])
async def test_expired_list_is_only_for_its_admin(
    running: RunningApp, moment: Moment, has_admin: bool
) -> None:
    maker = await running.person("maker")
    lists = [
        await store_list(
            running,
            "Tent",
            view="see it",
            admin="change it" if has_admin else None,
            maker=maker.member_id,
            days=1,
        )
        for _ in PAGES
    ]
    moment.pass_by(DAY)
    for made, (page, (_, lives_on)) in zip(lists, PAGES.items(), strict=True):
        for role in (None, "view"):
            assert await _visit(running, page, made, role) == 410, (page, role)
        assert await now(running, made) == made
        holder = (
            Guest(running).unlock_with(made.shared, "admin") if has_admin else Guest(running, maker)
        )
        expected = _success_status(page) if lives_on else 410
        assert await _visit(running, page, made, None, holder) == expected, page


async def test_signed_in_visitor_cannot_open_an_expired_list_of_others(
    running: RunningApp, moment: Moment
) -> None:
    made = await store_list(
        running, "Tent", days=1, maker=(await running.person("maker")).member_id
    )
    moment.pass_by(DAY)
    other = await running.person("other")
    answer = await Guest(running, other).get(f"/s/{made.shared.short_id}")
    assert answer.status_code == 410
    assert "Tent" not in answer.text


async def test_cross_site_form_is_refused(running: RunningApp) -> None:
    person = await running.person("ada")
    made = await store_list(running, "Tent", admin="change it")
    for page in [*PAGES, *FOR_THE_SIGNED_IN, "POST /s/{shortId}/unlock", "POST /s/new"]:
        method, path = page.split()
        if method == "GET":
            continue
        for guest in (
            Guest(running),
            Guest(running, person),
            Guest(running).unlock_with(made.shared, "admin"),
        ):
            for headers in ({"Origin": "http://evil.test"}, {"Sec-Fetch-Site": "same-site"}, {}):
                sent = {"Accept": "text/html"} | headers
                form = _form_fields(path) | {"passcode": "change it"}
                answer = await guest.client.post(
                    _path_with_ids(path, made), data=form, headers=sent
                )
                assert answer.status_code in (401, 403) or "/sign-in" in answer.headers["location"]
                assert "set-cookie" not in answer.headers
        assert await now(running, made) == made


async def test_cross_site_form_of_an_open_list_is_refused(running: RunningApp) -> None:
    made = await store_list(running, "Tent", "Rope")
    for method, path in (page.split() for page in PAGES):
        if method == "POST":
            sent = {"Accept": "text/html", "Origin": "http://evil.test"}
            form = _form_fields(path)
            answer = await Guest(running).client.post(
                _path_with_ids(path, made), data=form, headers=sent
            )
            assert answer.status_code == 403, path
            assert await now(running, made) == made


async def test_pages_are_not_cached_indexed_or_sent_as_referrer(running: RunningApp) -> None:
    made = await store_list(running, "Tent", view="see it")
    guest, holder = Guest(running), Guest(running).unlock_with(made.shared, "view")
    gets = [_path_with_ids(page.split()[1], made) for page in PAGES if page.startswith("GET")]
    for who, paths in ((guest, [*gets, "/s", "/s/new", "/s/abc-abc-00000"]), (holder, gets)):
        for path in paths:
            answer = await who.get(path)
            assert answer.headers["cache-control"] == "no-store", path
            assert answer.headers["x-robots-tag"] == "noindex, nofollow", path
            assert answer.headers["referrer-policy"] == "same-origin"
            if path.endswith("/row") and who is holder:
                continue
            assert '<meta name="robots" content="noindex">' in answer.text or (
                answer.status_code == 404
            )


async def test_locked_page_reveals_nothing_about_the_list(running: RunningApp) -> None:
    made = await store_list(running, "Tent", name="Secret trip", note="At noon", view="see it")
    for page in PAGES:
        method, path = page.split()
        answer = await Guest(running).client.request(
            method, _path_with_ids(path, made), headers=OURS
        )
        assert answer.status_code == 401
        for secret in ("Secret trip", "At noon", "Tent"):
            assert secret not in answer.text


async def test_script_request_is_refused_with_problem_json(running: RunningApp) -> None:
    made = await store_list(running, "Tent", view="see it")
    path = _path_with_ids("/s/{shortId}/items/{checklistItemId}/row", made)
    answer = await Guest(running).client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_unknown_deleted_and_purged_lists_show_the_same_page(
    running: RunningApp, moment: Moment
) -> None:
    made = await store_list(running, "Tent", days=1)
    deleted = await store_list(running, "Tent")
    guest = Guest(running)
    await guest.post(f"/s/{deleted.shared.short_id}/delete")
    moment.pass_by(366 * DAY)
    answers = [
        await guest.get(f"/s/{short_id}")
        for short_id in (made.shared.short_id, deleted.shared.short_id, "zzz-zzz-99999", "no")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1


def _expected_status(page: str, needs: Needs, access: Needs | None, role: str | None) -> int:
    if access == "admin" or access == needs:
        return _success_status(page)
    return 401 if role is None else 403


def _success_status(page: str) -> int:
    if page.startswith("GET") or page.endswith("{checklistItemId}/delete"):
        return 200
    return 303


async def _visit(
    running: RunningApp,
    page: str,
    made: ListWithItems,
    role: str | None,
    guest: Guest | None = None,
) -> int:
    if guest is None:
        guest = Guest(running)
        if role is not None:
            wanted: Role = "view" if role == "view" else "admin"
            guest.unlock_with(made.shared, wanted)
    method, path = page.split()
    if method == "GET":
        answer = await guest.get(_path_with_ids(path, made))
    else:
        answer = await guest.post(_path_with_ids(path, made), **_form_fields(path))
    if answer.status_code == 303:
        assert "sign-in" not in answer.headers["location"]
    if answer.status_code == 200:
        assert names_of(made)[0] in answer.text or "/share" in path or "/settings" in path
    return answer.status_code


def _path_with_ids(path: str, made: ListWithItems) -> str:
    ids = {"shortId": made.shared.short_id}
    if made.items:
        ids["checklistItemId"] = made.items[0].checklist_item_id
    return path.format(**ids)


def _form_fields(path: str) -> dict[str, str]:
    end = path[path.rindex("/") :]
    return {name: FORM[name] for name in FIELDS.get(end, ())}


async def test_maker_of_an_expired_list_needs_its_admin_passcode(
    running: RunningApp, moment: Moment
) -> None:
    made = await store_list(running, admin="change it", days=1)
    moment.pass_by(2 * DAY)
    with pytest.raises(Expired):
        require_access(made.shared, Grant(is_maker=True), VIEW)
