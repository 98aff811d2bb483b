"""Rate limits count a client at its real address, whatever forwarding headers it sends."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count

import httpx
import pytest

from homeshelf.config.values import Rate, networks
from homeshelf.table import Database
from tests.home import NOBODYS
from tests.running import Visitor, running_app
from tests.shares.clients import PASSCODES, new_list

PROXY, CLIENT = "198.51.100.1", "192.0.2.77"
ONCE_ONLY = Rate(2, 3600)
LIMITS = dict.fromkeys(
    ("limit_signups", "limit_signins", "limit_links", "limit_unknown", "limit_unlocks"), ONCE_ONLY
)
_numbers = count(1)
Headers = Mapping[str, str] | Sequence[tuple[str, str]]


def elsewhere() -> str:
    return f"203.0.113.{next(_numbers) % 250}"


FORGED: dict[str, Callable[[], Headers]] = {
    "X-Forwarded-For": lambda: {"X-Forwarded-For": elsewhere()},
    "several in one": lambda: {"X-Forwarded-For": f"{elsewhere()}, {elsewhere()}"},
    "several lines": lambda: [("X-Forwarded-For", elsewhere()), ("X-Forwarded-For", elsewhere())],
    "Forwarded": lambda: {"Forwarded": f"for={elsewhere()};proto=https;by={elsewhere()}"},
    "X-Real-IP": lambda: {"X-Real-IP": elsewhere()},
    "those of CDNs": lambda: {"CF-Connecting-IP": elsewhere(), "True-Client-IP": elsewhere()},
    "others": lambda: {"X-Client-IP": elsewhere(), "X-Cluster-Client-IP": elsewhere()},
    "IPv6": lambda: {"X-Forwarded-For": f"2001:db8:{next(_numbers):x}::1"},
    "nonsense": lambda: {"X-Forwarded-For": f"nowhere-{next(_numbers)}"},
    "all": lambda: {"X-Forwarded-For": elsewhere(), "X-Real-IP": elsewhere(), "Via": elsewhere()},
}
Try = Callable[[Visitor, Headers], Awaitable[httpx.Response]]


async def sign_up(visitor: Visitor, headers: Headers) -> httpx.Response:
    new = {"email": f"n{next(_numbers)}@home.local", "password": "a long password", "name": "N"}
    return await visitor.client.post("/api/v1/accounts", json=new, headers=headers)


async def guess_a_password(visitor: Visitor, headers: Headers) -> httpx.Response:
    guess = {"email": "ada@home.local", "password": "a wrong password"}
    return await visitor.client.post("/api/v1/tokens", json=guess, headers=headers)


async def try_a_link(visitor: Visitor, headers: Headers) -> httpx.Response:
    guess = {"token": "a.b.c", "password": "a long password"}
    return await visitor.client.post("/api/v1/passwords/reset", json=guess, headers=headers)


async def ask_for_a_tag(visitor: Visitor, headers: Headers) -> httpx.Response:
    unknown = NOBODYS.replace("-", "")[:22]
    return await visitor.client.get(f"/api/v1/taps/{unknown}", headers=headers)


async def ask_for_a_list(visitor: Visitor, headers: Headers) -> httpx.Response:
    return await visitor.client.get("/api/v1/shareables/zzz-zzz-00000", headers=headers)


TRIES: dict[str, Try] = {
    "signing up": sign_up,
    "passwords": guess_a_password,
    "links": try_a_link,
    "tags": ask_for_a_tag,
    "lists": ask_for_a_list,
}


@pytest.mark.parametrize("forged", FORGED)
async def test_forwarding_headers_of_untrusted_senders_are_ignored(
    database: Database, forged: str
) -> None:
    for proxies in ((), networks(PROXY)):
        async with running_app(database, trusted_proxies=proxies, **LIMITS) as running:
            for name, once in TRIES.items():
                visitor = running.visitor(elsewhere())
                await _twice_and_no_more(visitor, once, FORGED[forged], name)


@pytest.mark.parametrize("forged", FORGED)
async def test_forwarding_headers_before_those_of_the_proxy_are_ignored(
    database: Database, forged: str
) -> None:
    """A proxy appends the address that it saw to an existing header."""

    def passed_on() -> Headers:
        said = FORGED[forged]()
        lines = list(said.items()) if isinstance(said, Mapping) else [*said]
        before = [value for name, value in lines if name == "X-Forwarded-For"]
        others = [line for line in lines if line[0] != "X-Forwarded-For"]
        if forged == "several lines":
            return [*others, *(("X-Forwarded-For", each) for each in (*before, client))]
        return [*others, ("X-Forwarded-For", ", ".join([*before, client]))]

    async with running_app(database, trusted_proxies=networks(PROXY), **LIMITS) as running:
        for number, (name, once) in enumerate(TRIES.items()):
            client = f"192.0.2.{number + 1}"
            await _twice_and_no_more(running.visitor(PROXY), once, passed_on, name)
            other = {"X-Forwarded-For": "192.0.2.200"}
            assert (await once(running.visitor(PROXY), other)).status_code != 429, name


async def test_forged_addresses_do_not_raise_the_passcode_limit(database: Database) -> None:
    async with running_app(database, **LIMITS) as running:
        made = await new_list(running.visitor(), **PASSCODES["view"])

        async def guess(visitor: Visitor, headers: Headers) -> httpx.Response:
            path = f"/api/v1/shareables/{made['shortId']}/unlock"
            return await visitor.client.post(path, json={"passcode": "wrong"}, headers=headers)

        for name, forged in FORGED.items():
            await _twice_and_no_more(running.visitor(elsewhere()), guess, forged, name)


async def test_forged_addresses_do_not_raise_the_limit_of_lists(database: Database) -> None:
    async with running_app(database, limit_shares=ONCE_ONLY) as running:

        async def make(visitor: Visitor, headers: Headers) -> httpx.Response:
            new = {"name": "Trip", "items": [{"name": "sock"}]}
            return await visitor.client.post("/api/v1/shareables", json=new, headers=headers)

        for name, forged in FORGED.items():
            await _twice_and_no_more(running.visitor(elsewhere()), make, forged, name)


async def _twice_and_no_more(
    visitor: Visitor, once: Try, forged: Callable[[], Headers], name: str
) -> None:
    answers = [(await once(visitor, forged())).status_code for _ in range(4)]
    assert 429 not in answers[:2], (name, answers)
    assert answers[2:] == [429, 429], (name, answers)


async def test_real_addresses_are_counted_separately(database: Database) -> None:
    async with running_app(database, **LIMITS) as running:
        for once in TRIES.values():
            for _ in range(4):
                answer = await once(running.visitor(elsewhere()), {})
                assert answer.status_code != 429
