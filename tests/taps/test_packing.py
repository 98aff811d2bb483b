import gzip

import pytest

from homeshelf.taps.rendering import GzipPage


@pytest.mark.parametrize("rest", [b"", b"a", "für später".encode() * 50, b"x" * 100_000])
def test_gzip_page_decompresses_completely(rest: bytes) -> None:
    beginning = b"<style>.tap { color: red }</style>" * 100
    packed = GzipPage(beginning).compress(rest)
    assert gzip.decompress(packed) == beginning + rest
    assert len(packed) < 200 + len(rest)


def test_gzip_page_stores_variable_part_uncompressed() -> None:
    """The size of text compressed beside a secret reveals guesses of the secret."""
    page = GzipPage(b"key=secret")
    assert len(page.compress(b"key=secret")) == len(page.compress(b"0123456789"))
