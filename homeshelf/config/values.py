"""The declaration of a setting, and parsers for settings that are not addresses."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from homeshelf import ip
from homeshelf.languages import LANGUAGES, Language


@dataclass(frozen=True)
class Setting:
    """A setting; its default may refer to an earlier one, as in `{data_dir}/x`."""

    variable: str
    default: str | None
    read: Callable[[str], Any]
    help: str
    needs: tuple[str, ...] = ()
    """Variables without which this one has no effect."""


def setting(
    default: str | None,
    read: Callable[[str], Any],
    help_: str,
    *,
    needs: tuple[str, ...] = (),
    secret: bool = False,
) -> Any:
    """Declare a field of the settings; its variable is `HOMESHELF_` and the field's name."""
    declared = {"default": default, "read": read, "help": help_, "needs": needs}
    return field(repr=not secret, metadata=declared)


@dataclass(frozen=True)
class Rate:
    times: int
    seconds: int


class BadValue(Exception):
    """A value is wrong; the text continues a sentence that begins with the variable."""


def one_of(*words: str) -> Callable[[str], Any]:
    def read(text: str) -> str:
        if text not in words:
            raise BadValue(f"must be one of {', '.join(words)}.")
        return text

    return read


def language(text: str) -> Language:
    return LANGUAGES[one_of(*LANGUAGES)(text)]


def secret(text: str) -> bytes:
    if len(text) < 32:
        raise BadValue("must have at least 32 characters; `openssl rand -hex 32` makes one.")
    return text.encode()


def word(text: str) -> str:
    if re.search(r"[\s\x00-\x1f\x7f]", text):
        raise BadValue("must have no spaces in it.")
    return text


def networks(text: str) -> tuple[ip.Network, ...]:
    if text == "none":
        return ()
    try:
        return tuple(ip.network(part.strip()) for part in text.split(","))
    except ValueError:
        raise BadValue("must be `none`, or addresses with commas between them.") from None


def hosts(text: str) -> tuple[str, ...]:
    if text == "none":
        return ()
    names = [name.strip().rstrip(".").lower() for name in text.split(",")]
    if not all(re.fullmatch(r"[\w-]+(\.[\w-]+)*", name) for name in names):
        raise BadValue("must be `none`, or names with commas between them, such as shelf.local.")
    return tuple(names)


def count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise BadValue("must be a whole number of at least 1.")
    return int(text)


def rate(text: str) -> Rate:
    """Parse `60/h`, `10/15min` or `40/10s`."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{0,4})(s|min|h)", text)
    if not found or int(found[1]) < 1 or int(found[2] or 1) < 1:
        raise BadValue("must be how often per period, such as 60/h, 10/15min or 40/10s.")
    return Rate(int(found[1]), int(found[2] or 1) * _SECONDS[found[3]])


def volume(text: str) -> Rate:
    """Parse `20MB/24h`: bytes in a number of seconds."""
    found = re.fullmatch(r"([0-9]{1,6})(kB|MB)/([0-9]{0,4})(s|min|h)", text)
    if not found or int(found[1]) < 1 or int(found[3] or 1) < 1:
        raise BadValue("must be an amount per period, such as 20MB/24h or 500kB/h.")
    return Rate(int(found[1]) * _BYTES[found[2]], int(found[3] or 1) * _SECONDS[found[4]])


def rate_of(least: int, most: int) -> Callable[[str], Rate]:
    def read(text: str) -> Rate:
        found = rate(text)
        if not least <= found.times <= most:
            raise BadValue(f"must be from {least} to {most} times, such as {most // 10}/h.")
        return found

    return read


_SECONDS = {"s": 1, "min": 60, "h": 3600}
_BYTES = {"kB": 1000, "MB": 1_000_000}
