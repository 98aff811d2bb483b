"""Test the upload of a file to a full disk."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.books.client import CSV, import_shelf, send
from tests.running import RunningApp, problem_of

ROOM = 1_000_000
ROWS = b"title\n" + (b" " * 99_999 + b"\n") * (2 * ROOM // 100_000) + b"Emma\n"


@pytest.mark.parametrize("question", ["", "?dryRun=true"])
async def test_upload_to_a_full_disk_asks_to_retry_later(
    running: RunningApp, question: str
) -> None:
    ada = await running.person("ada")
    with _limit_file_size(ROOM):
        refused = await send(ada, ROWS, CSV | {"Idempotency-Key": "k"}, question)
    assert problem_of(refused) == (503, "unavailable")
    assert int(refused.headers["retry-after"]) >= 1
    assert (await import_shelf(ada, ROWS, CSV | {"Idempotency-Key": "k"}))["added"] == 1


@contextmanager
def _limit_file_size(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
