import re
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import Path
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from homeshelf.accounts import model
from homeshelf.accounts.passwords import COMMON, is_common
from homeshelf.languages import LANGUAGES
from homeshelf.sentences import _
from homeshelf.web.body import FieldRule, id_, text
from homeshelf.web.ids import WELL_FORMED


def _refuse_common_password(password: str) -> str:
    if is_common(password):
        raise PydanticCustomError("common", COMMON)
    return password


def _require_time_zone(name: str) -> str:
    try:
        ZoneInfo(name if _TIME_ZONE.fullmatch(name) else "")
    except (ZoneInfoNotFoundError, OSError):  # a folder of zones, such as Europe
        raise ValueError("no zone") from None
    return name


def _require_language(code: str) -> str:
    if code != "auto" and code not in LANGUAGES:
        raise ValueError("no language of ours")
    return code


_TIME_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")

_SECRET = Field(repr=False)
"""The field settings that keep a value out of a printed body."""

Name = Annotated[str, text(1, 100, _("Enter a name of up to 100 characters."))]
NewPassword = Annotated[
    str,
    text(8, 128, _("Use at least 8 characters, and 128 at most."), kind="any", trim=False),
    AfterValidator(_refuse_common_password),
    _SECRET,
]
Password = Annotated[
    str,
    text(1, 128, _("Enter a password of up to 128 characters."), kind="any", trim=False),
    _SECRET,
]
Token = Annotated[str, text(1, 4000, _("The token is missing."), kind="any"), _SECRET]
Family = Annotated[str | None, id_(_("Invalid family ID format"))]
OwnAddress = Annotated[str, text(1, 254, _("Enter your own address."), kind="any")]
Theme = Annotated[model.Theme, FieldRule(_("Choose auto, light or dark."))]
TimeZone = Annotated[
    str, AfterValidator(_require_time_zone), FieldRule(_("Choose a time zone, like Europe/Berlin."))
]
MailPreference = Annotated[model.MailPreference, FieldRule(_("Choose off, now or daily."))]
Language = Annotated[
    str,
    AfterValidator(_require_language),
    FieldRule(_("Choose auto or one of our languages, like en."), longest=10),
]
SessionId = Annotated[str, Path(alias="sessionId"), WELL_FORMED]
