"""The fields of shared lists of all kinds, with their limits and messages."""

from typing import Annotated

from pydantic import Field

from homeshelf.sentences import _
from homeshelf.shares.kind import all_kinds
from homeshelf.web.body import field_error, text, whole

MAX_NAME = 200
MAX_SEARCH = 300
"""The longest text to search for, because a visitor may paste a whole link."""
NO_SUCH_LIST = _("There’s no list with this code. Check it with the person who shared it.")
NOT_DIFFERENT = _("Choose two different passcodes.")
Name = Annotated[str, text(1, MAX_NAME, _("Enter a name of up to 200 characters."))]
Note = Annotated[str, text(0, 2000, _("Use at most 2,000 characters for the note."), kind="any")]
_PASSCODE = text(4, 128, _("Use 4 to 128 characters for a passcode."), kind="any", trim=False)
_TOKEN = text(1, 4000, _("This isn’t a token for this list."), kind="any")
_SECRET = Field(repr=False)
NewPasscode = Annotated[Annotated[str, _PASSCODE] | None, _SECRET]
Passcode = Annotated[str, text(1, 128, _("Enter the passcode."), kind="any", trim=False), _SECRET]
Token = Annotated[Annotated[str, _TOKEN] | None, _SECRET]
Days = Annotated[int, whole(1, 365, _("Choose 1 to 365 days."))]
Find = Annotated[str, text(0, MAX_SEARCH, NO_SUCH_LIST, kind="any")]


def require_known_entity(entity: object) -> object:
    known = [kind.entity for kind in all_kinds()]
    if entity not in known:
        raise field_error(_("Choose {kinds}.", kinds=" / ".join(known)))
    return entity
