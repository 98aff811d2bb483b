"""What the tests of the server share."""

from functools import partial

import pytest

from homeshelf.serving.server import Server
from tests.serving import inside


@pytest.fixture(params=["with a task each", "at once"])
def however_they_are_run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is answered without a task of its own is answered alike, also where it waits."""
    if request.param == "at once":
        at_once = partial(Server, at_once=lambda _method, _target: True)
        monkeypatch.setattr(inside, "Server", at_once)
