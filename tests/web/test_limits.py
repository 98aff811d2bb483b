import asyncio
import ipaddress

import pytest
from fastapi import Request

from homeshelf.config.values import Rate
from homeshelf.coordination.attempts import Attempt, Count
from homeshelf.errors import RateLimited
from homeshelf.table import HELPER, Database
from homeshelf.web import limits
from homeshelf.web.limits import ConcurrencyLimit, Limits, RateLimit, VolumeLimit, address_of
from tests.databases import Opener
from tests.moment import DAY, HOUR, Moment
from tests.running import PASSWORD, SETTINGS, problem_of, running_app

TOO_OFTEN = (429, "rate_limited")


def test_pace_allows_one_more_for_each_that_expires(moment: Moment) -> None:
    pace = RateLimit(Rate(3, 60))
    for _ in range(3):
        pace.take("ada")
        moment.pass_by(10)
    with pytest.raises(RateLimited) as refused:
        pace.take("ada")
    assert refused.value.retry_after == 30
    pace.take("eve")
    moment.pass_by(30)
    pace.take("ada")
    with pytest.raises(RateLimited) as refused:
        pace.take("ada")
    assert refused.value.retry_after == 10


def test_taking_several_requires_room_for_all(moment: Moment) -> None:
    pace = RateLimit(Rate(10, 60))
    pace.take("ada")
    moment.pass_by(10)
    pace.take_rest("ada", 10)
    moment.pass_by(10)
    for number, seconds in ((1, 40), (2, 50), (10, 50)):
        with pytest.raises(RateLimited) as refused:
            pace.take("ada", number)
        assert refused.value.retry_after == seconds
    moment.pass_by(40)
    pace.take("ada")
    moment.pass_by(10)
    pace.take_rest("ada", 99)
    with pytest.raises(RateLimited):
        pace.take("ada")


def test_refused_calls_do_not_count(moment: Moment) -> None:
    pace = RateLimit(Rate(1, 60))
    pace.take("ada")
    for _ in range(5):
        moment.pass_by(11)
        with pytest.raises(RateLimited):
            pace.take("ada")
    moment.pass_by(5)
    pace.take("ada")


def test_expired_names_are_dropped(moment: Moment) -> None:
    pace = RateLimit(Rate(3, 60))
    for number in range(1000):
        pace.take(str(number))
    moment.pass_by(61)
    pace.take("ada")
    assert list(pace._taken) == ["ada"]


def test_clock_set_back_does_not_prolong_a_limit(moment: Moment) -> None:
    pace = RateLimit(Rate(3, 60))
    for _ in range(3):
        pace.take("ada")
    moment.pass_by(-3600)
    with pytest.raises(RateLimited) as refused:
        pace.take("ada")
    assert refused.value.retry_after == 60
    pace.take("eve")
    moment.pass_by(61)
    pace.take("ada")
    assert list(pace._taken) == ["ada"]


def test_volume_is_limited_per_period(moment: Moment) -> None:
    volume = VolumeLimit(Rate(100, 24))
    volume.take("ada", 60)
    moment.pass_by(10)
    volume.take("ada", 40)
    with pytest.raises(RateLimited) as refused:
        volume.take("ada", 1)
    volume.take("eve", 100)
    moment.pass_by(refused.value.retry_after - 1)
    with pytest.raises(RateLimited):
        volume.take("ada", 1)
    moment.pass_by(1)
    volume.take("ada", 60)
    with pytest.raises(RateLimited):
        volume.take("ada", 1)
    moment.pass_by(24)
    volume.take("bo", 1)
    assert volume._taken.keys() == {"ada", "bo"}
    moment.pass_by(1)
    volume.take("bo", 1)
    assert volume._taken.keys() == {"bo"}


@pytest.mark.parametrize("seconds", [3600, 24 * 3600])
def test_volume_taken_while_the_clock_was_ahead_expires_as_usual(
    moment: Moment, seconds: int
) -> None:
    volume = VolumeLimit(Rate(100, 24))
    volume.take("ada", 60)
    moment.pass_by(2)
    volume.take("ada", 40)
    moment.pass_by(-seconds)
    with pytest.raises(RateLimited) as refused:
        volume.take("ada", 1)
    assert refused.value.retry_after == 25
    moment.pass_by(25)
    volume.take("ada", 100)


@pytest.mark.parametrize("limit", [RateLimit(Rate(1, 60)), VolumeLimit(Rate(1, 60))])
def test_least_recently_used_name_is_dropped_past_the_maximum(
    limit: RateLimit | VolumeLimit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_NAMES", 3)
    for name in ("ada", "eve", "zoe"):
        limit.take(name, 1)
    with pytest.raises(RateLimited):
        limit.take("ada", 1)
    for name in ("bo", "cy"):
        limit.take(name, 1)
    assert list(limit._taken) == ["ada", "bo", "cy"]
    with pytest.raises(RateLimited):
        limit.take("ada", 1)


def test_places_limit_the_number_at_once() -> None:
    places = ConcurrencyLimit(2)
    with places.hold("ada"), places.hold("ada"), places.hold("eve"), pytest.raises(RateLimited):
        places.hold("ada").__enter__()
    with places.hold("ada"), places.hold("ada"):
        pass


def test_place_is_released_after_an_error() -> None:
    places = ConcurrencyLimit(1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), places.hold("ada"):
            raise ZeroDivisionError
    assert not places._held


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("a socket", "a socket"),
    ],
)
def test_address_of_a_client_is_the_ipv6_prefix_of_its_household(host: str, address: str) -> None:
    assert address_of(Request({"type": "http", "client": (host, 1)})) == address


def test_clients_without_an_address_share_one() -> None:
    assert address_of(Request({"type": "http", "client": None})) == ""


NARROW, WIDE = Count("narrow", "list from here", Rate(3, 60)), Count("wide", "list", Rate(5, 3600))


async def test_failures_count_until_they_expire(database: Database, moment: Moment) -> None:
    for _ in range(3):
        await Attempt(database, [NARROW, WIDE]).begin()
        moment.pass_by(10)
    with pytest.raises(RateLimited) as refused:
        await Attempt(database, [NARROW, WIDE]).begin()
    assert refused.value.retry_after == 30
    moment.pass_by(30)
    await Attempt(database, [NARROW, WIDE]).begin()
    elsewhere = Count("narrow", "list from there", Rate(3, 60))
    await Attempt(database, [elsewhere, WIDE]).begin()
    with pytest.raises(RateLimited) as refused:
        await Attempt(database, [elsewhere, WIDE]).begin()
    assert refused.value.retry_after == 3600 - 60
    await Attempt(database, [elsewhere]).begin()  # this address is exempt from the wider count


async def test_failures_with_a_future_time_do_not_count(database: Database, moment: Moment) -> None:
    """The clock was ahead when they were counted, and has been corrected."""
    count = Count("sign-in", "ada", Rate(2, 60))
    await Attempt(database, [count]).begin()
    moment.pass_by(5)
    await Attempt(database, [count]).begin()
    moment.pass_by(-5)
    with pytest.raises(RateLimited):  # the tolerance for clocks of different machines
        await Attempt(database, [count]).begin()
    moment.pass_by(-3600)
    await Attempt(database, [count]).begin()
    await Attempt(database, [count]).begin()
    with pytest.raises(RateLimited) as refused:
        await Attempt(database, [count]).begin()
    assert refused.value.retry_after == 60


async def test_refused_attempt_counts_nowhere(database: Database, moment: Moment) -> None:
    for _ in range(3):
        await Attempt(database, [NARROW, WIDE]).begin()
    for _ in range(10):
        with pytest.raises(RateLimited):
            await Attempt(database, [NARROW, WIDE]).begin()
    moment.pass_by(60)
    await Attempt(database, [NARROW, WIDE]).begin()
    await Attempt(database, [NARROW, WIDE]).begin()


async def test_forgiven_attempt_leaves_no_record(database: Database) -> None:
    for _ in range(7):
        attempt = await Attempt(database, [NARROW, WIDE]).begin()
        await attempt.mark_success()
    assert list((await database.engine.scan(HELPER, 10)).items) == []


async def test_forgiving_removes_one_failure(database: Database) -> None:
    attempts = [await Attempt(database, [NARROW, WIDE]).begin() for _ in range(3)]
    await attempts[1].mark_success()
    await Attempt(database, [NARROW, WIDE]).begin()
    with pytest.raises(RateLimited):
        await Attempt(database, [NARROW, WIDE]).begin()


async def test_forgiving_an_expired_failure_changes_nothing(
    database: Database, moment: Moment
) -> None:
    attempt = await Attempt(database, [NARROW, WIDE]).begin()
    moment.pass_by(4000)
    await attempt.mark_success()


async def test_processes_share_the_count_of_failures(open_another: Opener) -> None:
    processes = [open_another() for _ in range(3)]

    async def tried(database: Database) -> bool:
        try:
            await Attempt(database, [WIDE]).begin()
        except RateLimited:
            return False
        return True

    tries = await asyncio.gather(*(tried(database) for _ in range(6) for database in processes))
    assert sum(tries) == 5


async def test_attempts_with_the_same_count_take_turns(database: Database) -> None:
    ours = Limits(SETTINGS, database)
    lanes = ours.hashing.lane(), ours.hashing.lane()
    under_way = most = 0

    async def attempt() -> None:
        nonlocal under_way, most
        async with ours.attempt(Count("narrow", "x", Rate(1, 60)), lanes=lanes) as (attempt, _):
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.001)
            await attempt.mark_success()
            under_way -= 1

    await asyncio.gather(*(attempt() for _ in range(20)))
    assert most == 1


async def test_writes_but_not_reads_are_limited_per_person(database: Database) -> None:
    async with running_app(database, limit_writes=Rate(3, 60)) as running:
        ada, eve = await running.person("ada"), await running.person("eve")
        for _ in range(3):
            assert (await ada.patch("/me", {"name": "A"})).status_code == 200
        refused = await ada.patch("/me", {"name": "B"})
        assert problem_of(refused) == TOO_OFTEN
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert problem_of(await ada.delete("/tokens")) == TOO_OFTEN
        for _ in range(10):
            assert (await ada.get("/me")).json()["name"] == "A"
        assert (await eve.patch("/me", {"name": "E"})).status_code == 200


async def test_daily_volume_per_person_is_limited_without_files_of_books(
    database: Database,
) -> None:
    async with running_app(database, limit_writes_size=Rate(5000, DAY)) as running:
        ada, eve = await running.person("ada"), await running.person("eve")
        book = {"title": "Emma", "description": "x" * 2000}
        for _ in range(2):
            assert (await ada.post("/books", book)).status_code == 201
        refused = await ada.post("/books", book)
        assert problem_of(refused) == TOO_OFTEN
        assert int(refused.headers["retry-after"]) > 20 * HOUR
        page = await ada.client.post(
            "/books/new", data=book, headers={"Origin": "http://home.test"}
        )
        assert page.status_code == 429
        file = b"title,description\nPersuasion," + b"x" * 6000
        for query in ("?dryRun=true", ""):
            taken = await ada.client.post(
                f"/api/v1/books/import{query}", content=file, headers={"Content-Type": "text/csv"}
            )
            assert taken.status_code in (200, 202)
        assert (await ada.get("/books")).status_code == 200
        assert (await eve.post("/books", book)).status_code == 201


async def test_sign_ups_are_limited_per_address(database: Database, moment: Moment) -> None:
    async with running_app(database, limit_signups=Rate(2, 3600)) as running:

        async def sign_up(name: str, address: str) -> tuple[int, str]:
            new = {"email": f"{name}@home.local", "password": PASSWORD, "name": name}
            answer = await running.visitor(address).post("/accounts", new)
            return (201, "") if answer.status_code == 201 else problem_of(answer)

        assert await sign_up("a", "2001:db8::1") == (201, "")
        assert await sign_up("a", "2001:db8::2") == (409, "duplicate")
        assert await sign_up("b", "2001:db8::3") == TOO_OFTEN
        assert await sign_up("b", "203.0.113.1") == (201, "")
        moment.pass_by(3600)
        assert await sign_up("c", "2001:db8::1") == (201, "")


async def test_invalid_sign_up_does_not_count(database: Database) -> None:
    async with running_app(database, limit_signups=Rate(1, 3600)) as running:
        for _ in range(3):
            answer = await running.visitor().post("/accounts", {"email": "x"})
            assert problem_of(answer) == (400, "validation")


PROXY = (ipaddress.ip_network("198.51.100.0/24"),)


@pytest.mark.parametrize(
    ("peer", "forwarded", "believed"),
    [
        ("203.0.113.7", ["192.0.2.1"], "203.0.113.7"),
        ("198.51.100.1", ["192.0.2.1"], "192.0.2.1"),
        ("198.51.100.1", [], "198.51.100.1"),
        ("198.51.100.1", ["6.6.6.6, 192.0.2.1"], "192.0.2.1"),
        ("198.51.100.1", ["6.6.6.6", "192.0.2.1"], "192.0.2.1"),
        ("198.51.100.1", ["6.6.6.6, 192.0.2.1, 198.51.100.2"], "192.0.2.1"),
        ("198.51.100.1", ["198.51.100.9, 198.51.100.2"], "198.51.100.9"),
        ("198.51.100.1", [" , "], "198.51.100.1"),
    ],
)
async def test_only_trusted_proxies_forward_addresses(
    database: Database, peer: str, forwarded: list[str], believed: str
) -> None:
    async with running_app(database, trusted_proxies=PROXY) as running:

        @running.app.get("/api/v1/where")
        async def where(request: Request) -> str:
            return address_of(request)

        headers = [("X-Forwarded-For", hop) for hop in forwarded]
        answer = await running.visitor(peer).client.get("/api/v1/where", headers=headers)
        assert answer.json() == believed


def test_default_limits_have_these_values() -> None:
    assert SETTINGS.limit_signups == Rate(60, 3600)
    assert SETTINGS.limit_signins == Rate(10, 900)
    assert SETTINGS.limit_signins_address == Rate(100, 900)
    assert SETTINGS.limit_writes == Rate(1200, 60)
    assert SETTINGS.limit_writes_size == Rate(200_000_000, DAY)
