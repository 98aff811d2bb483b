"""A silent provider: it delays few requests and is retried after a pause."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from homeshelf import clock
from homeshelf.identity import metadata, provider_http
from homeshelf.identity.metadata import Metadata, MetadataCache
from homeshelf.identity.provider_http import ProviderUnavailable
from homeshelf.table import Database
from tests.identity.issuer import Issuer, rsa_key
from tests.identity.people import HTML, present_token
from tests.identity.provider import RealProvider, real_provider
from tests.moment import Moment
from tests.running import RunningApp, Visitor, problem_of, running_app

AWAY = (503, "unavailable")
REQUEST_COUNT = 20


@pytest.fixture(scope="module")
def provider() -> Iterator[RealProvider]:
    with real_provider("--token-max-age", "999999") as provider:
        yield provider


@pytest.fixture
async def app_with_provider(
    database: Database, provider: RealProvider
) -> AsyncIterator[RunningApp]:
    """An app that trusts the real provider."""
    async with running_app(database, **provider.settings) as running:
        yield running


@pytest.fixture
def clock_from_now(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """A clock that starts now, as the provider has its own."""
    moment = Moment(clock.timestamp())
    monkeypatch.setattr(clock, "nanoseconds", moment.nanoseconds)
    return moment


async def request_home(visitor: Visitor) -> int:
    return (await visitor.get("/me")).status_code


async def test_signed_in_person_does_not_wait_for_silent_provider(
    app_with_provider: RunningApp, provider: RealProvider, clock_from_now: Moment
) -> None:
    ada = app_with_provider.visitor()
    ada.bear(await provider.id_token())
    assert await request_home(ada) == 200
    with provider.stop_responding():
        clock_from_now.pass_by(metadata.FRESH_SECONDS)
        began = time.monotonic()
        assert [await request_home(ada) for _ in range(REQUEST_COUNT)] == [200] * REQUEST_COUNT
        took = time.monotonic() - began
    assert took < provider_http.TIMEOUT_SECONDS - 1


async def test_after_a_timeout_signed_in_people_do_not_wait(
    app_with_provider: RunningApp,
    provider: RealProvider,
    clock_from_now: Moment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ada = app_with_provider.visitor()
    ada.bear(await provider.id_token())
    assert await request_home(ada) == 200
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.2)
    with provider.stop_responding():
        clock_from_now.pass_by(metadata.FRESH_SECONDS)
        assert await request_home(ada) == 200
        monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 60)
        monkeypatch.setattr(metadata, "MAX_WAIT_SECONDS", 60)
        async with asyncio.timeout(10):
            for _ in range(5):
                clock_from_now.pass_by(provider_http.PAUSE_SECONDS)
                assert await request_home(ada) == 200


async def test_new_sign_in_fails_at_once_during_the_pause(
    app_with_provider: RunningApp,
    provider: RealProvider,
    clock_from_now: Moment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = await provider.id_token()
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.5)
    with provider.stop_responding():
        first = await app_with_provider.visitor().client.get("/sign-in", headers=HTML)
        assert first.status_code == 503
        monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 60)
        clock_from_now.pass_by(provider_http.PAUSE_SECONDS - 1)
        async with asyncio.timeout(10):
            for _ in range(REQUEST_COUNT):
                page = await app_with_provider.visitor().client.get("/sign-in", headers=HTML)
                assert page.status_code == 503
                assert "reach the sign-in provider" in page.text
                stranger = app_with_provider.visitor()
                stranger.bear(token)
                assert problem_of(await stranger.get("/me")) == AWAY
    assert 0 < int(first.headers["retry-after"]) <= provider_http.PAUSE_SECONDS
    clock_from_now.pass_by(1)
    page = await app_with_provider.visitor().client.get("/sign-in", headers=HTML)
    assert page.status_code == 303


async def test_code_is_not_redeemed_during_the_pause(
    app_with_provider: RunningApp,
    provider: RealProvider,
    clock_from_now: Moment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser = app_with_provider.visitor()
    sent = await browser.client.get("/sign-in", headers=HTML)
    back = await provider.sign_in_at(sent.headers["location"])
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.5)
    with provider.stop_responding():
        assert (await browser.client.get(back, headers=HTML)).status_code == 503
        monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 60)
        clock_from_now.pass_by(provider_http.PAUSE_SECONDS - 1)
        async with asyncio.timeout(10):
            again = await browser.client.get(back, headers=HTML)
        assert (again.status_code, again.headers["retry-after"]) == (503, "5")
    clock_from_now.pass_by(1)
    asked = await browser.client.get(back, headers=HTML)
    assert asked.status_code in (303, 400), "which depends on whether it took the code before"


async def test_concurrent_first_requests_fetch_metadata_once(
    running: RunningApp, issuer: Issuer
) -> None:
    issuer.slow = 0.1
    ada = present_token(running, issuer)
    answers = await asyncio.gather(
        *(running.visitor().client.get("/sign-in", headers=HTML) for _ in range(5)),
        *(ada.get("/me") for _ in range(5)),
    )
    assert [answer.status_code for answer in answers] == [303] * 5 + [200] * 5
    assert issuer.asked == ["description", "keys"]


async def test_invented_key_ids_cause_one_fetch_from_silent_provider(
    running: RunningApp, issuer: Issuer, clock_from_now: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = present_token(running, issuer)
    assert await request_home(ada) == 200
    clock_from_now.pass_by(provider_http.PAUSE_SECONDS)
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.2)
    issuer.slow = 10
    eve = running.visitor()
    eve.bear(issuer.token(rsa_key("made up")))
    answers = await asyncio.gather(*(eve.get("/me") for _ in range(REQUEST_COUNT)), ada.get("/me"))
    assert [problem_of(answer) for answer in answers[:-1]] == [AWAY] * REQUEST_COUNT
    assert answers[-1].status_code == 200
    assert problem_of(await eve.get("/me")) == AWAY
    assert issuer.asked.count("description") == 2


async def test_user_info_is_not_requested_during_the_pause(
    running: RunningApp, issuer: Issuer, clock_from_now: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = {"email": None, "name": None}
    assert await request_home(present_token(running, issuer)) == 200
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.2)
    issuer.slow = 60
    assert await request_home(present_token(running, issuer, sub="grace", **bare)) == 200
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 60)
    clock_from_now.pass_by(provider_http.PAUSE_SECONDS - 1)
    async with asyncio.timeout(10):
        assert await request_home(present_token(running, issuer, sub="eve", **bare)) == 200
    assert issuer.asked.count("user info") == 1


KNOWN = Metadata("https://id.example", [], None, None, None, [])


class FakeFetch:
    """The provider's results, one for each fetch; None means no response."""

    def __init__(self, *answers: Metadata | ProviderUnavailable | None) -> None:
        self._answers = list(answers)
        self.asked = 0

    async def __call__(self) -> Metadata:
        self.asked += 1
        answer = self._answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        if not isinstance(answer, Metadata):
            raise answer or ProviderUnavailable("it is silent")
        return answer


async def wait_until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not happened():  # noqa: ASYNC110  # nothing tells a test
            await asyncio.sleep(0)


async def test_after_a_failure_one_caller_waits_for_the_retry(clock_from_now: Moment) -> None:
    answers = FakeFetch(ProviderUnavailable("it is out"), None)
    cache = MetadataCache(answers)
    with pytest.raises(ProviderUnavailable, match="it is out"):
        await cache.get()
    clock_from_now.pass_by(provider_http.PAUSE_SECONDS)
    waiting = asyncio.create_task(cache.get())
    await wait_until(lambda: answers.asked == 2)
    async with asyncio.timeout(5):
        with pytest.raises(ProviderUnavailable, match="it is out"):
            await cache.get()
    assert not waiting.done()
    waiting.cancel()
    await cache.close()


async def test_metadata_is_refreshed_before_callers_must_wait(clock_from_now: Moment) -> None:
    newer = Metadata("https://id.example", [{"kid": "new"}], None, None, None, [])
    answers = FakeFetch(KNOWN, None, newer)
    cache = MetadataCache(answers)
    assert await cache.get() is KNOWN
    clock_from_now.pass_by(metadata.REFRESH_SECONDS - 1)
    assert await cache.get() is KNOWN
    assert answers.asked == 1
    clock_from_now.pass_by(1)
    async with asyncio.timeout(5):
        assert await cache.get() is KNOWN
    await wait_until(lambda: answers.asked == 2)
    await cache.close()
    clock_from_now.pass_by(provider_http.PAUSE_SECONDS)
    assert await cache.get() is KNOWN
    await wait_until(lambda: answers.asked == 3)
    assert await cache.get() is newer


async def test_metadata_is_fetched_again_after_clock_is_set_back(clock_from_now: Moment) -> None:
    newer = Metadata("https://id.example", [{"kid": "new"}], None, None, None, [])
    cache = MetadataCache(answers := FakeFetch(KNOWN, newer))
    await cache.get()
    clock_from_now.pass_by(-3600)
    await cache.get()
    await wait_until(lambda: answers.asked == 2)
    assert await cache.get() is newer


async def test_cached_metadata_is_used_for_a_day(clock_from_now: Moment) -> None:
    tries = [ProviderUnavailable("it is out")] * 2
    cache = MetadataCache(FakeFetch(KNOWN, *tries))
    await cache.get()
    clock_from_now.pass_by(metadata.MAX_AGE_SECONDS - 1)
    assert await cache.get() is KNOWN
    clock_from_now.pass_by(provider_http.PAUSE_SECONDS)
    with pytest.raises(ProviderUnavailable):
        await cache.get()


async def test_invalid_metadata_counts_as_unreachable_and_is_retried(
    clock_from_now: Moment,
) -> None:
    class BrokenFetch:
        asked = 0

        async def __call__(self) -> Metadata:
            self.asked += 1
            if self.asked == 1:
                raise RecursionError
            return KNOWN

    cache = MetadataCache(BrokenFetch())
    with pytest.raises(ProviderUnavailable, match="cannot be read"):
        await cache.get()
    clock_from_now.pass_by(provider_http.PAUSE_SECONDS)
    assert await cache.get() is KNOWN
