"""Test that the filter of `deploy/fail2ban` matches only log lines about guessing clients."""

import json
import re
import shutil
import subprocess
from collections import Counter
from configparser import ConfigParser
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import get_args

import httpx
import pytest

from homeshelf import security_log
from tests.forked_processes import served

ROOT = Path(__file__).parents[1]
FILTER = ROOT / "deploy" / "fail2ban" / "filter.d" / "homeshelf.conf"
JAIL = ROOT / "deploy" / "fail2ban" / "jail.d" / "homeshelf.conf"
PAGE = (ROOT / "docs" / "security-log.md").read_text()
V4, V6, HOME, INNOCENT = "198.51.100.4", "2001:db8::7", "203.0.113.7", "198.51.100.99"
FORGED = f'x"}} {{"log":"security","address":"{INNOCENT}","event":"sign_in_failed"}}'
ADA = {"email": "ada@home.local", "password": "correct horse battery", "name": "Ada"}
PREFIXES = {
    "as a file": "",
    "as fail2ban reads the journal": "shelf homeshelf[812]: ",
    "as journalctl shows it": "Mar 01 08:15:02 shelf homeshelf[812]: ",
    "as journalctl -o short-iso shows it": "2026-03-01T08:15:02+0100 shelf homeshelf[812]: ",
}
FEW = {"HOMESHELF_LIMIT_SIGNUPS": "1/min", "HOMESHELF_LIMIT_UNKNOWN": "1/min"}
EXPECTED = Counter({V4: 4, V6: 2})
"""The matches by address: a password, a passcode, a link and a limit; a password and a limit."""


def see_pictures_of_another_site(url: str, address: str) -> None:
    """Request unknown tags and lists, as a browser does for images on a foreign page."""
    paths = ("/t/0123456789012345678901", "/api/v1/shareables/aaa-aaa-00000", "/s/aaa-aaa-00000")
    headers = {"X-Forwarded-For": address, "Sec-Fetch-Dest": "image"}
    found = [httpx.get(f"{url}{path}", headers=headers) for path in (*paths, *paths)]
    assert [answer.status_code for answer in found] == [404, *[429] * 5]


def definition() -> dict[str, str]:
    parser = ConfigParser()
    parser.read(FILTER)
    return dict(parser["Definition"])


def shut_out(lines: list[str]) -> Counter[str]:
    """Count the matching lines by address, with the pattern that fail2ban inserts."""
    address = r"(?P<address>(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4})"
    pattern = re.compile(definition()["failregex"].replace("<ADDR>", address))
    found = Counter(match["address"] for line in lines if (match := pattern.search(line)))
    assert all(map(ip_address, found))
    return found


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Log lines of a real server: guessing clients, one that forges an address, and Ada, who
    forgets her password while she is signed in."""
    folder = tmp_path_factory.mktemp("served")
    settings = {"HOMESHELF_TRUSTED_PROXIES": "127.0.0.1", **FEW}
    with served(folder, **settings) as homeshelf:
        api = f"{homeshelf.url}/api/v1"

        def post(path: str, sent: object, address: str, **headers: str) -> httpx.Response:
            return httpx.post(
                f"{api}{path}", json=sent, headers={"X-Forwarded-For": address, **headers}
            )

        assert post("/accounts", ADA, HOME).status_code == 201
        known = {"email": ADA["email"], "password": ADA["password"]}
        signed_in = post("/tokens", known, HOME, **{"User-Agent": FORGED})
        bearer = {"Authorization": f"Bearer {signed_in.json()['accessToken']}"}
        made = post("/shareables", {"name": FORGED, "viewPasscode": "seven-view"}, HOME).json()
        unlock = f"/shareables/{made['shortId']}/unlock"

        assert post("/tokens", known | {"password": "a guess"}, V4).status_code == 401
        assert (
            post("/tokens", {"email": f"a@{INNOCENT}", "password": FORGED}, V6).status_code == 401
        )
        assert post(unlock, {"passcode": FORGED}, V4).status_code == 401
        assert post("/accounts/verify", {"token": FORGED}, V4).status_code == 404
        for address in (V4, V6):
            for number, status in ((1, 201), (2, 429)):
                new = ADA | {"email": f"{number}-{address}@home.local"}
                assert post("/accounts", new, address).status_code == status
            see_pictures_of_another_site(homeshelf.url, address)
        leaving = {"X-Forwarded-For": HOME, **bearer}
        wrong = httpx.request("DELETE", f"{api}/me", json={"password": "oh"}, headers=leaving)
        assert wrong.status_code == 400
    return (folder / "serve.log").read_text().splitlines()


def test_each_log_line_is_an_event_with_address_first(lines: list[str]) -> None:
    ours = [line for line in lines if json.loads(line).get("log") == "security"]
    assert all(line.startswith('{"log":"security","address":"') for line in ours)
    (shown,) = re.findall(r"^```json\n(.*)\n```", PAGE, re.MULTILINE)
    like = next(line for line in ours if '"member_id"' in line and '"sign_in_failed"' in line)
    assert list(json.loads(like)) == list(json.loads(shown))


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_filter_counts_only_guessing_clients(lines: list[str], prefix: str, tmp_path: Path) -> None:
    """Use the filter's expressions, and fail2ban itself if it is installed."""
    log = tmp_path / "homeshelf.log"
    log.write_text("".join(f"{prefix}{line}\n" for line in lines))
    assert shut_out(log.read_text().splitlines()) == EXPECTED
    if shutil.which("fail2ban-regex"):
        command = ["fail2ban-regex", "--out", "ip", str(log), str(FILTER)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert Counter(done.stdout.split()) == EXPECTED


def test_filter_reads_time_of_line(lines: list[str]) -> None:
    pattern = definition()["datepattern"].replace("%f%z", r"\d{3}Z")
    pattern = re.sub("%Y", r"\\d{4}", re.sub("%[mdHMS]", r"\\d{2}", pattern))
    assert all(len(re.findall(pattern, line)) == 1 for line in lines)


def test_filter_counts_documented_failures() -> None:
    counted = re.findall(r"\w+", definition()["failregex"].rpartition('"event":"(?:')[2])
    assert set(counted) <= set(get_args(security_log.Failure))
    (sentence,) = re.findall(r"It counts (.*)\.", PAGE)
    assert re.findall(r"`(\w+)`", sentence) == counted


def test_jail_tolerates_forgotten_password_and_home_network() -> None:
    parser = ConfigParser()
    parser.read(JAIL)
    jail = parser["homeshelf"]
    assert f"for an hour after {jail['maxretry']} failures in 15 minutes" in PAGE
    assert (jail["findtime"], jail["bantime"], jail["filter"]) == ("15m", "1h", FILTER.stem)
    spared = [ip_network(each) for each in jail["ignoreip"].split()]
    for home in ("127.0.0.1", "::1", "192.168.1.7", "10.1.2.3", "172.20.1.1", "fd00::7", "fe80::1"):
        assert any(ip_address(home) in each for each in spared), home
