"""The front door of shared lists: type the id that was read out."""

import re
import unicodedata
from typing import Annotated

from fastapi import Query, Response

from homeshelf.access.view import Visit
from homeshelf.errors import NotFound
from homeshelf.sentences import _
from homeshelf.shares.bodies import FindForm
from homeshelf.shares.fields import LONGEST_FIND, NO_SUCH_LIST
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import find_list
from homeshelf.web.forms import Form
from homeshelf.web.pages import Said, see_other

router = list_router()

LETTERS = str.maketrans("0258", "ozsb")
DIGITS = str.maketrans("oilzsb", "011258")
SAID = {"deleted": _("The list is gone, for everybody.")}


def heard_id(typed: str) -> str:
    """What was read out, or the link itself, as somebody types it.

    Six letters and five digits: where a letter belongs, what looks like one is one, and so with
    digits. Whatever stands between them does not matter.
    """
    text = unicodedata.normalize("NFKC", typed).strip().rstrip("/").rpartition("/")[2]
    bare = "".join(map(_plain, re.sub(r"[\W_]", "", text.lower())))
    return bare[:6].translate(LETTERS) + bare[6:].translate(DIGITS)


def _plain(character: str) -> str:
    """Digits of other scripts are digits."""
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


@router.get("")
async def front_door(
    view: Visit,
    typed: Annotated[str, Query(alias="id", max_length=LONGEST_FIND)] = "",
    said: Said = "",
) -> Response:
    wrong: dict[str, str] = {}
    if typed.strip():
        try:
            return see_other(path_of((await find_list(view.request, heard_id(typed))).shared))
        except NotFound:
            wrong = {"id": NO_SUCH_LIST}
    return await view.page(
        "shares/door.html",
        404 if wrong else 200,
        form=Form(FindForm, {"id": typed}, wrong=wrong),
        said=SAID.get(said, ""),
    )
