"""Validation of ids, which are UUIDs in either case."""

import re
from collections.abc import Callable

from pydantic import AfterValidator

from homeshelf.errors import NotFound

UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
UUID_4 = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"

_uuid = re.compile(UUID)


def is_id(text: str) -> bool:
    return _uuid.fullmatch(text) is not None


def id_validator(pattern: str, refusal: Callable[[], Exception] = NotFound) -> AfterValidator:
    """Return a validator that refuses a malformed id in a path like one that does not exist."""
    form = re.compile(pattern)

    def check(text: str) -> str:
        if not form.fullmatch(text):
            raise refusal()
        return text.lower()

    return AfterValidator(check)


WELL_FORMED = id_validator(UUID)
