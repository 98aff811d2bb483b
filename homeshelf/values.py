"""What settings may hold, other than addresses."""

import ipaddress
from collections.abc import Callable
from typing import Any

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class BadValue(Exception):
    """The text goes on a sentence that starts with the name of what holds the value."""


def one_of(*words: str) -> Callable[[str], Any]:
    def read(text: str) -> str:
        if text not in words:
            raise BadValue(f"must be one of {', '.join(words)}.")
        return text

    return read


def secret(text: str) -> bytes:
    if len(text) < 32:
        raise BadValue("must have at least 32 characters; `openssl rand -hex 32` makes one.")
    return text.encode()


def networks(text: str) -> tuple[Network, ...]:
    if text == "none":
        return ()
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in text.split(","))
    except ValueError:
        raise BadValue("must be `none`, or addresses with commas between them.") from None


def count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise BadValue("must be a whole number of at least 1.")
    return int(text)
