from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest
from playwright.async_api import Browser

from tests.browser.home import found_home
from tests.browser.lindqvists import Household, lindqvists
from tests.browser.screens import chromium
from tests.browser.tags import Tagged
from tests.browser.visitor import Visitors


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with lindqvists(tmp_path_factory.mktemp("lindqvists")) as household:
        yield household


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.fixture
async def visitors(browser: Browser, household: Household) -> AsyncIterator[Visitors]:
    """People with browsers of their own; none of them may see anything break."""
    visitors = Visitors(browser, household)
    yield visitors
    await visitors.leave()
    assert visitors.complaints == []


_numbers = count(1)


@pytest.fixture
def fresh() -> str:
    """A name that nobody has had."""
    return f"Ada{next(_numbers)}"


@pytest.fixture
def tagged(household: Household, fresh: str) -> Tagged:
    return Tagged(found_home(household, fresh), 4)
