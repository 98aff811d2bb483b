from collections.abc import Iterator

import pytest

from tests import servers
from tests.servers import Server


@pytest.fixture(scope="session")
def dynoxide() -> Iterator[Server]:
    with servers.dynoxide() as server:
        yield server


@pytest.fixture(scope="session")
def extenddb() -> Iterator[Server]:
    with servers.extenddb() as server:
        yield server
