"""Test that the order of test files leaves none out."""

from itertools import groupby

import pytest

from tests.order import in_order


def test_order_contains_every_test_grouped_by_file(
    request: pytest.FixtureRequest,
) -> None:
    items = request.session.items
    ordered = in_order(items)
    assert sorted(item.nodeid for item in ordered) == sorted(item.nodeid for item in items)
    files = [path for path, _ in groupby(ordered, lambda item: item.path)]
    assert len(files) == len(set(files))
    assert in_order(ordered) == ordered
