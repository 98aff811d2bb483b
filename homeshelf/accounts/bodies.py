"""What the endpoints of accounts are sent."""

import re
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from homeshelf.accounts.common_passwords import COMMON, is_common
from homeshelf.accounts.model import MailWish, Theme
from homeshelf.web.body import Body, Email, NewBody, Says, id_, text


def _not_common(password: str) -> str:
    if is_common(password):
        raise PydanticCustomError("common", COMMON)
    return password


_NAME = text(1, 100, "A name has 1 to 100 characters.")
_PASSWORD = text(8, 128, "A password has 8 to 128 characters.", trim=False)
_TRIED = text(1, 128, "The password is needed, at most 128 characters.", trim=False)
_FAMILY = id_("Invalid family ID format")
_TOKEN = text(1, 4000, "The token is needed.")

Secret = Field(repr=False)
"""For what must not be seen where a body is printed."""

NewSecret = Annotated[str, _PASSWORD, AfterValidator(_not_common), Secret]


class SignUp(NewBody):
    email: Email
    password: NewSecret
    name: Annotated[str, _NAME]


class SignIn(NewBody):
    email: Email
    password: Annotated[str, _TRIED, Secret]
    family_id: Annotated[str | None, _FAMILY] = None


class Refresh(NewBody):
    refresh_token: Annotated[str, _TOKEN, Secret]
    family_id: Annotated[str | None, _FAMILY] = None


class MailedToken(NewBody):
    token: Annotated[str, _TOKEN, Secret]


class Forgotten(NewBody):
    email: Email


class Reset(MailedToken):
    password: NewSecret


class NewPasswordForm(NewBody):
    password: NewSecret


class PasswordForm(NewPasswordForm):
    current_password: Annotated[str, _TRIED, Secret]


class NameForm(NewBody):
    name: Annotated[str, _NAME]


class Goodbye(NewBody):
    confirm: Annotated[str, text(1, 254, "Type your own address.")]
    password: Annotated[str, _TRIED, Secret] = ""


class Profile(Body):
    name: Annotated[str, _NAME] = ""
    password: NewSecret = ""
    current_password: Annotated[str, _TRIED, Secret] = ""


class Confirmation(NewBody):
    password: Annotated[str, _TRIED, Secret] = ""


def _zone(name: str) -> str:
    try:
        ZoneInfo(name if _ZONE.fullmatch(name) else "")
    except (ZoneInfoNotFoundError, OSError):  # a folder of zones, such as Europe
        raise ValueError from None
    return name


_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")


class Preferences(Body):
    theme: Annotated[Theme, Says("This must be auto, light or dark.")] = "auto"
    time_zone: Annotated[
        str, AfterValidator(_zone), Says("This must be a time zone such as Europe/Berlin.")
    ] = "UTC"
    mail: Annotated[MailWish, Says("This must be off, now or daily.")] = "now"
