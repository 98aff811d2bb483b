from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.home import Home, found_home
from tests.browser.lindqvists import Lindqvists, lindqvists
from tests.browser.screens import chromium
from tests.browser.tags import Tagged
from tests.browser.visitor import Visitors

FOLDER = Path(__file__).parent
LONGEST_SECONDS = 120
"""With the start of a household and a browser, of which the first test of a worker has both."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FOLDER) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST_SECONDS))


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lindqvists]:
    with lindqvists(tmp_path_factory.mktemp("lindqvists")) as household:
        yield household


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.fixture
async def visitors(browser: Browser, household: Lindqvists) -> AsyncIterator[Visitors]:
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
def home(household: Lindqvists, fresh: str) -> Home:
    return found_home(household, fresh)


@pytest.fixture
def tagged(household: Lindqvists, fresh: str) -> Tagged:
    return Tagged(found_home(household, fresh), 4)
