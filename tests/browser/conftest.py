from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.contexts import Contexts
from tests.browser.demo_household import DemoHousehold, serve_demo_household
from tests.browser.family_home import Home, create_home
from tests.browser.screens import chromium
from tests.browser.storage import open_phone
from tests.browser.tag_page import TaggedItem
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line, line_to

FOLDER = Path(__file__).parent
LONGEST_SECONDS = 120
"""The time limit of a test; a worker's first test also starts the household and the browser."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FOLDER) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST_SECONDS))


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoHousehold]:
    with serve_demo_household(tmp_path_factory.mktemp("lindqvists")) as household:
        yield household


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
async def used_contexts(browser: Browser) -> AsyncIterator[Contexts]:  # noqa: ARG001  # it closes later
    used = Contexts()
    yield used
    await used.close()


@pytest.fixture
async def visitors(
    browser: Browser, household: DemoHousehold, used_contexts: Contexts
) -> AsyncIterator[Visitors]:
    """Visitors with separate browsers. The test fails if a browser reports an error."""
    visitors = Visitors(browser, household, used_contexts)
    yield visitors
    await visitors.leave()
    assert visitors.complaints == []


@pytest.fixture(scope="session")
async def lines(household: DemoHousehold) -> AsyncIterator[tuple[Line, Line]]:
    async with line_to(household.url) as one, line_to(household.url) as other:
        yield one, other


@pytest.fixture
def line(lines: tuple[Line, Line]) -> Iterator[Line]:
    """The phone's connection to the server. Its address is the same in every test, for caches."""
    yield lines[0]
    lines[0].becomes("open")


@pytest.fixture
def line_at_home(lines: tuple[Line, Line]) -> Iterator[Line]:
    """A second connection, for another person."""
    yield lines[1]
    lines[1].becomes("open")


_numbers = count(1)


@pytest.fixture
def unique_name() -> str:
    """A name that no other test uses."""
    return f"Ada{next(_numbers)}"


@pytest.fixture
def home(household: DemoHousehold, unique_name: str) -> Home:
    return create_home(household, unique_name)


@pytest.fixture
async def phone(home: Home, visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    """The phone of the home's admin, on a connection that a test can cut."""
    phone = await open_phone(home, visitors, line)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line


@pytest.fixture
def tagged(household: DemoHousehold, unique_name: str) -> TaggedItem:
    return TaggedItem(create_home(household, unique_name), 4)
