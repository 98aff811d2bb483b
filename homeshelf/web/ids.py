"""Ids: any well-formed UUID, in either case."""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator

from homeshelf.errors import NotFound
from homeshelf.sentences import _

UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
UUID_4 = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"

_uuid = re.compile(UUID)
_digest = re.compile("[0-9a-f]{32}")


def is_id(text: str) -> bool:
    return _uuid.fullmatch(text) is not None


def _formed(form: re.Pattern[str], refusal: Callable[[], Exception] = NotFound) -> AfterValidator:
    """In a path a malformed id names nothing; who is asking was looked at before."""

    def check(text: str) -> str:
        if not form.fullmatch(text):
            raise refusal()
        return text.lower()

    return AfterValidator(check)


_Named = _formed(_uuid)

SessionId = Annotated[str, Path(alias="sessionId"), _Named]
FamilyId = Annotated[str, Path(alias="familyId"), _Named]
MemberId = Annotated[str, Path(alias="memberId"), _Named]
InvitationId = Annotated[str, Path(alias="invitationId"), _Named]
ItemId = Annotated[str, Path(alias="itemId"), _Named]
LocationId = Annotated[str, Path(alias="locationId"), _Named]
StoreId = Annotated[str, Path(alias="storeId"), _Named]
BookId = Annotated[str, Path(alias="bookId"), _Named]
NoteId = Annotated[str, Path(alias="noteId"), _Named]
ChecklistItemId = Annotated[str, Path(alias="checklistItemId"), _Named]
ImportId = Annotated[str, Path(alias="importId"), _Named]
NotificationId = Annotated[str, Path(alias="notificationId"), _Named]
UsualId = Annotated[str, Path(alias="usualId"), _formed(_digest)]
SuggestionId = Annotated[
    str,
    Path(alias="suggestionId"),
    _formed(_uuid, partial(ValueError, _("Invalid suggestion ID format"))),
]
ShoppingItemId = Annotated[
    str,
    Path(alias="shoppingItemId"),
    _formed(_uuid, partial(ValueError, _("Invalid shopping item ID format"))),
]
