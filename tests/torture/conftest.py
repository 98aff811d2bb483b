import sys

import pytest

from tests.torture.killing import Say


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str]) -> Say:
    """To who waits for it at the terminal."""

    def say(sentence: str) -> None:
        with capfd.disabled():
            print(f"\n  {sentence}", end="", file=sys.stderr, flush=True)  # noqa: T201

    return say
