import gzip

import pytest

from homeshelf.taps.rendering import Packing


@pytest.mark.parametrize("rest", [b"", b"a", "für später".encode() * 50, b"x" * 100_000])
def test_what_is_packed_is_unpacked_whole(rest: bytes) -> None:
    beginning = b"<style>.tap { color: red }</style>" * 100
    packed = Packing(beginning).packed(rest)
    assert gzip.decompress(packed) == beginning + rest
    assert len(packed) < 200 + len(rest)


def test_what_differs_is_not_packed() -> None:
    """What is packed beside a secret tells by its size how much of that somebody guessed."""
    packing = Packing(b"key=secret")
    assert len(packing.packed(b"key=secret")) == len(packing.packed(b"0123456789"))
