"""Signing in by an identity provider on a shared tablet."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.browser.storage import cached_paths, wait_for_worker
from tests.browser.visitor import Visitor, Visitors
from tests.forked_processes import served
from tests.identity.provider import ADA, RealProvider, real_provider
from tests.processes import Served

GRACE = {
    "sub": "grace-at-the-provider",
    "email": "grace@home.local",
    "email_verified": True,
    "name": "Grace Hopper",
}


@pytest.fixture(scope="module")
def provider() -> Iterator[RealProvider]:
    with real_provider(people=(ADA, GRACE)) as provider:
        yield provider


@pytest.fixture(scope="module")
def server_with_provider(
    tmp_path_factory: pytest.TempPathFactory, provider: RealProvider
) -> Iterator[Served]:
    """A server that uses the identity provider."""
    with served(tmp_path_factory.mktemp("shelf"), **provider.variables) as shelf:
        yield shelf


@pytest.fixture
async def tablet(visitors: Visitors, server_with_provider: Served) -> AsyncIterator[Visitor]:
    tablet = await visitors.arrive(url=server_with_provider.url, offline_worker=True)
    yield tablet
    await tablet.context.set_offline(False)
    visitors.complaints.clear()  # the browser reports requests that failed offline


async def sign_in(tablet: Visitor, subject: str) -> None:
    """Open Homeshelf's sign-in page, then choose this person on the provider's page."""
    await tablet.go("/sign-in")
    await tablet.press(subject)


@pytest.mark.parametrize("signs_out", [False, True])
async def test_next_user_finds_no_data_of_previous_user(tablet: Visitor, signs_out: bool) -> None:
    await sign_in(tablet, str(ADA["sub"]))
    await tablet.reads_above_all("What is your home called?")
    await wait_for_worker(tablet)
    await tablet.go("/settings")
    await tablet.sees("You sign in as ada@home.local.")
    assert "/settings" in await cached_paths(tablet)
    if signs_out:
        await tablet.open("Ada Lovelace: family and settings")
        await tablet.press("Sign out")
        await tablet.reads_above_all("Your household’s shared memory")
    await sign_in(tablet, str(GRACE["sub"]))
    await tablet.reads_above_all("What is your home called?")
    assert "/settings" not in await cached_paths(tablet)
    if signs_out:
        await wait_for_worker(tablet)
    await tablet.context.set_offline(True)
    await tablet.go("/settings")
    await tablet.reads_above_all("You’re offline")
    await tablet.sees_nothing_of("Ada")
    await tablet.context.set_offline(False)
    await tablet.go("/settings")
    await tablet.sees("You sign in as grace@home.local.")


async def test_failed_provider_sign_in_shows_message(tablet: Visitor) -> None:
    await tablet.go("/sign-in")
    await tablet.press("Deny")
    await tablet.reads_above_all("You’re not signed in yet")
