"""A shared list as a page: for everybody with its link."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Response

from homeshelf.access.view import Visit, Visitor
from homeshelf.errors import Expired, RateLimited, Unauthenticated
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.bodies import Unlock, WhoForm
from homeshelf.shares.fields import ItemBody
from homeshelf.shares.list_route import (
    ask_passcode,
    expired_page,
    list_router,
    path_of,
)
from homeshelf.shares.model import ChecklistItem, KeptList
from homeshelf.shares.opening import AnyList, AtList, Seen
from homeshelf.shares.tokens import keep_in_cookie
from homeshelf.shares.unlocking import unlock
from homeshelf.shares.who_pages import who_of
from homeshelf.web.forms import Form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import Said, see_other

router = list_router()

SAID = {
    "gone": _("Somebody took this off the list meanwhile."),
    "full": _("The list is full: it holds 500 things."),
    "long": _("A name here has 1 to 200 letters. It was not added."),
    "long-name": _("Your name here has at most 50 letters."),
    "saved": _("Saved."),
    "kept": _("It is among your lists now."),
}


@dataclass(frozen=True)
class Removed:
    """An item that was just taken off the list, and where it stood."""

    item: ChecklistItem
    before: str | None


@router.get("/{shortId}")
async def list_page(
    view: Visit, at: Seen, typed: Annotated[str, Path(alias="shortId")], said: Said = ""
) -> Response:
    if typed != at.shared.short_id:
        return see_other(path_of(at.shared))
    return await show_list(view, at, SAID.get(said, ""))


@router.get("/{shortId}/unlock")
async def unlock_page(view: Visit, at: AnyList) -> Response:
    if at.shared.is_expired():
        return await expired_page(view.request, at.shared.short_id)
    if at.shared.own_role is None:
        return see_other(path_of(at.shared))
    return await ask_passcode(view.request, at.shared.short_id)


@router.post("/{shortId}/unlock")
async def unlock_list(view: Visit, at: AnyList) -> Response:
    form = await view.form(Unlock)
    ask = expired_page if at.shared.is_expired() else ask_passcode
    if form.body is None:
        wrong = form.wrong.get("passcode", _("The passcode is needed."))
        return await ask(view.request, at.shared.short_id, Unauthenticated(), wrong)
    try:
        held = await unlock(
            view.services, address_of(view.request), at.shared, at.held, form.body.passcode
        )
    except (Unauthenticated, RateLimited, Expired) as error:
        return await ask(view.request, at.shared.short_id, error, error.detail)
    answer = see_other(path_of(at.shared))
    if held.role is not None:
        keep_in_cookie(view.request, answer, at.shared, held)
    return answer


async def show_list(
    view: Visitor, at: AtList, said: str = "", removed: Removed | None = None
) -> Response:
    found = await store.opened(view.db, at.shared)
    shell, kept = await view.shell(), None
    if shell.account is not None:
        member_id = shell.account.member_id
        kept = await view.db.get(KeptList.key(member_id=member_id, short_id=at.shared.short_id))
    expired = at.shared.is_expired()
    return await view.page(
        "shares/list.html",
        shell=shell,
        shared=at.shared,
        items=found.items,
        done=sum(bool(item.checked) for item in found.items),
        expired=expired,
        manages=at.access == "admin" and not expired,
        locked_to_manage=at.access == "view",
        who=who_of(view.request) or "",
        listed=kept is not None and kept.listed,
        said=said,
        removed=removed,
        adding=Form(ItemBody),
        naming=Form(WhoForm),
    )
