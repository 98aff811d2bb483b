"""Test parsing IP addresses."""

import pytest

from homeshelf import ip
from homeshelf.config.values import networks


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5678", "192.0.2.1"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("[2001:DB8::1]:5678", "2001:db8::1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::FFFF:7f00:1", "127.0.0.1"),
        ("[::ffff:127.0.0.1]:80", "127.0.0.1"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
def test_spellings_of_an_ip_address_are_equal(text: str, plain: str) -> None:
    assert str(ip.address(text)) == plain
    assert ip.plain(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "",
        "unknown",
        "shelf.example:80",
        "192.0.2.1:",
        "192.0.2.1:x",
        "192.0.2.1:99999",
        "192.0.2.1:-1",
        "[::1",
        "[::1]x",
        "[::1]:",
        "192.0.2",
        "192.0.2.256",
        "::1:5678:x",
    ],
)
def test_invalid_ip_address_is_unchanged(text: str) -> None:
    assert ip.address(text) is None
    assert ip.plain(text) == text


@pytest.mark.parametrize(
    ("named", "peer", "is_in"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "::ffff:127.0.0.1", True),
        ("::ffff:127.0.0.1", "127.0.0.1", True),
        ("::ffff:10.0.0.0/104", "10.1.2.3", True),
        ("::ffff:10.0.0.0/104", "11.1.2.3", False),
        ("10.0.0.0/8", "10.1.2.3:443", True),
        ("10.0.0.0/8", "::1", False),
        ("2001:db8::/32", "[2001:db8::1]:443", True),
        ("::/0", "127.0.0.1", False),
        ("127.0.0.1", "", False),
    ],
)
def test_network_contains_all_spellings_of_an_address(named: str, peer: str, is_in: bool) -> None:
    assert ip.is_in(peer, networks(named)) is is_in
