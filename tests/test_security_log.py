"""Test the events of the security log, and the data it leaves out."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from structlog.testing import capture_logs

from homeshelf import ip, security_log
from homeshelf.accounts import tokens
from homeshelf.config.values import Rate
from homeshelf.table import Database
from tests.home import Home, add_child, token_in, tried
from tests.moment import Moment
from tests.running import PASSWORD, Person, RunningApp, running_app
from tests.shares.clients import new_list

PAGE = Path(__file__).parents[1] / "docs" / "security-log.md"
HERE, ELSEWHERE = "203.0.113.7", "2001:db8::7"
NEW = "another horse battery"
UNKNOWN_TAG = "0123456789012345678901"


def security(logged: list[Any]) -> list[dict[str, Any]]:
    ours = (dict(line) for line in logged if line.get("log") == "security")
    return [{name: it for name, it in line.items() if name != "log"} for line in ours]


def failure(event: str, **about: str) -> dict[str, str]:
    return {"event": event, "log_level": "warning", "address": HERE, **about}


def change(event: str, **about: str) -> dict[str, str]:
    return failure(event, **about) | {"log_level": "info"}


def test_documentation_lists_every_event() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    failures, changes = get_args(security_log.Failure), get_args(security_log.Change)
    assert rows == [(e, "warning") for e in failures] + [(e, "info") for e in changes]


def test_ordinary_requests_are_not_logged() -> None:
    with capture_logs() as logged:
        security_log.note("member_removed", family_id="theirs")
    assert logged == []


async def test_wrong_password_is_logged_with_the_ip_address(home: Home) -> None:
    stranger = home.running.visitor(ELSEWHERE)
    with capture_logs() as logged:
        await stranger.post("/tokens", {"email": home.admin.email, "password": "a guess"})
        await stranger.post("/tokens", {"email": "nobody@home.local", "password": "a guess"})
    failed = failure("sign_in_failed") | {"address": ELSEWHERE}
    assert security(logged) == [failed | {"member_id": home.admin.member_id}, failed]
    assert "home.local" not in str(logged)


async def test_sign_in_is_logged_with_the_device(home: Home) -> None:
    ada = home.admin
    phone = {"User-Agent": "Mozilla/5.0 (Android 15) Firefox/140.0"}
    asked = {"email": ada.email, "password": PASSWORD}
    with capture_logs() as logged:
        await home.running.visitor().post("/tokens", asked, headers=phone)
    about = {"member_id": ada.member_id, "device": "Firefox on Android"}
    began = change("signed_in", **about, way="password")
    assert security(logged) == [began, change("new_device", **about)]


async def test_address_is_taken_from_a_trusted_proxy(database: Database) -> None:
    named = (ip.network("192.0.2.80"),)
    asked, said = {"email": "a@home.local", "password": "x"}, {"X-Forwarded-For": "198.51.100.4"}
    async with running_app(database, trusted_proxies=named) as running:
        for proxy, address in (("192.0.2.80", "198.51.100.4"), ("192.0.2.81", "192.0.2.81")):
            with capture_logs() as logged:
                await running.visitor(proxy).post("/tokens", asked, headers=said)
            assert [line["address"] for line in security(logged)] == [address]


async def test_wrong_password_confirmation_is_logged_with_the_member(home: Home) -> None:
    wrong = {"password": NEW, "currentPassword": "a guess"}
    right = {"password": NEW, "currentPassword": PASSWORD}
    ada = home.admin
    with capture_logs() as logged:
        await ada.patch("/me", wrong)
        await ada.patch("/me", right)
    by = {"by": ada.member_id}
    changed = change("password_changed", **by, member_id=ada.member_id, way="settings")
    assert security(logged) == [failure("password_not_confirmed", **by), changed]


async def test_refused_links_are_logged_by_kind(home: Home) -> None:
    stranger, ada = home.running.visitor(), home.admin
    child = await add_child(home)
    await tried(home.running, token_in(child))
    invitation = await home.invite("bob@home.local")
    await ada.delete(f"/invitations/{invitation['invitationId']}")
    with capture_logs() as logged:
        await stranger.post("/accounts/verify", {"token": "made up"})
        await stranger.post("/passwords/reset", {"token": "made up", "password": NEW})
        await tried(home.running, token_in(child))
        await ada.post("/invitations/accept", {"token": token_in(invitation)})
    kinds = [(line["event"], line["kind"]) for line in security(logged)]
    assert kinds == [
        ("link_refused", kind) for kind in ("verify", "reset", "sign-in", "invitation")
    ]


async def test_password_reset_by_link_is_logged(home: Home) -> None:
    token = tokens.reset_token(home.running.signer, home.admin.account)
    with capture_logs() as logged:
        await home.running.visitor().post("/passwords/reset", {"token": token, "password": NEW})
    noted = change("password_changed", member_id=home.admin.member_id, way="link")
    assert security(logged) == [noted]


async def test_wrong_passcode_is_logged_without_the_list(running: RunningApp) -> None:
    made = await new_list(running.visitor(), viewPasscode="seven-view")
    with capture_logs() as logged:
        unlock = f"/shareables/{made['shortId']}/unlock"
        await running.visitor().post(unlock, {"passcode": "a guess"})
    (line,) = security(logged)
    assert line == failure("unlock_failed", list=line["list"])
    assert made["shortId"].replace("-", "") not in str(logged)


async def test_rate_limits_are_logged_with_the_route(database: Database) -> None:
    few = {"limit_signups": Rate(1, 60), "limit_writes": Rate(1, 60)}
    async with running_app(database, **few) as running:
        stranger, ada = running.visitor(), await running.person("ada")
        with capture_logs() as logged:
            for name in ("bob", "eve"):
                new = {"email": f"{name}@home.local", "password": PASSWORD, "name": name}
                await stranger.post("/accounts", new)
            for name in ("Lovelace", "Byron"):
                await ada.post("/families", {"name": name})
    found = [line for line in security(logged) if line["event"] == "limit_reached"]
    assert found == [
        failure("limit_reached", route="/api/v1/accounts"),
        failure("limit_reached", by=ada.member_id, route="/api/v1/families"),
    ]


@pytest.mark.parametrize(
    ("method", "path", "route"),
    [
        ("GET", f"/t/{UNKNOWN_TAG}", "/t/{urlId}"),
        ("HEAD", f"/t/{UNKNOWN_TAG}", "/t/{urlId}"),
        ("POST", f"/t/{UNKNOWN_TAG}", "/t/{urlId}"),
        ("POST", f"/api/v1/taps/{UNKNOWN_TAG}", "/api/v1/taps/{urlId}"),
        ("GET", "/s/aaa-aaa-00000", "/s/{shortId}"),
        ("GET", "/api/v1/shareables/aaa-aaa-00000", "/api/v1/shareables/{shortId}"),
    ],
)
async def test_rate_limit_of_a_cross_site_request_is_logged_as_visit(
    database: Database, method: str, path: str, route: str
) -> None:
    async with running_app(database, limit_unknown=Rate(1, 60)) as running:
        client = running.visitor().client
        with capture_logs() as logged:
            answers = [await client.request(method, path) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [404, 429]
    assert security(logged) == [failure("visit_limit_reached", route=route)]


async def test_stream_limit_is_logged_as_visit(database: Database) -> None:
    async with running_app(database, limit_share_streams=0) as running:
        made = await new_list(running.visitor())
        with capture_logs() as logged:
            answer = await running.visitor().get(f"/shareables/{made['shortId']}/events")
    assert answer.status_code == 429
    (line,) = security(logged)
    assert line["event"] == "visit_limit_reached"


async def test_reused_refresh_token_is_logged(running: RunningApp, moment: Moment) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    pair = await visitor.post("/tokens", {"email": ada.email, "password": PASSWORD})
    refresh = {"refreshToken": pair.json()["refreshToken"]}
    await visitor.post("/tokens/refresh", refresh)
    moment.pass_by(60)
    with capture_logs() as logged:
        await visitor.post("/tokens/refresh", refresh)
    why = "its refresh token was used twice"
    assert security(logged) == [failure("session_ended", member_id=ada.member_id, why=why)]


async def test_joining_and_leaving_a_family_is_logged(home: Home) -> None:
    ada, bob = home.admin, await home.running.person("bob")
    with capture_logs() as logged:
        invitation = await home.invite(bob.email)
        joined = {"token": token_in(invitation)}
        await bob.post("/invitations/accept", joined, key="once")
        await bob.post("/invitations/accept", joined, key="once")
        await home.remove_member(bob)
        await home.remove_member(bob)
    theirs = {"family_id": home.family_id}
    invited = {"invitation_id": invitation["invitationId"], "role": "suggester"}
    assert security(logged) == [
        change("invitation_made", by=ada.member_id, **theirs, **invited),
        change("invitation_accepted", by=bob.member_id, **theirs, **invited),
        change("member_removed", by=ada.member_id, **theirs, member_id=bob.member_id),
    ]


async def test_revoked_invitation_is_logged_once(home: Home) -> None:
    invitation = await home.invite("bob@home.local")
    path = f"/invitations/{invitation['invitationId']}"
    with capture_logs() as logged:
        await home.admin.post(f"{path}/resend")
        await home.admin.delete(path)
        await home.admin.delete(path)
    events = [line["event"] for line in security(logged)]
    assert events == ["invitation_made", "invitation_revoked"]


@pytest.mark.parametrize("changes", [{"role": "admin"}, {"name": "Kiddo"}])
async def test_role_change_is_logged_and_rename_is_not(
    home: Home, kid: Person, changes: dict[str, str]
) -> None:
    version = (await home.member(kid))["version"]
    with capture_logs() as logged:
        await home.admin.patch(f"/members/{kid.member_id}", {**changes, "version": version})
    about = {"by": home.admin.member_id, "family_id": home.family_id, "member_id": kid.member_id}
    noted = [change("role_changed", **about, role="admin")] if "role" in changes else []
    assert security(logged) == noted


async def test_sign_in_link_is_logged_when_created_and_used(home: Home) -> None:
    with capture_logs() as logged:
        child = await add_child(home)
        await tried(home.running, token_in(child))
        await home.admin.post(f"/members/{child['memberId']}/sign-in-link")
    about = {"family_id": home.family_id, "member_id": child["memberId"]}
    made = change("sign_in_link_made", by=home.admin.member_id, **about)
    assert security(logged) == [made, change("sign_in_link_used", **about), made]


async def test_created_and_deleted_accounts_are_logged(running: RunningApp) -> None:
    ada = await running.person("ada")
    new = {"email": "bob@home.local", "password": PASSWORD, "name": "Bob"}
    with capture_logs() as logged:
        made = await running.visitor().post("/accounts", new)
        await ada.delete("/me", {"password": PASSWORD})
    assert security(logged) == [
        change("account_made", member_id=made.json()["memberId"]),
        change("account_left", by=ada.member_id, member_id=ada.member_id),
    ]
