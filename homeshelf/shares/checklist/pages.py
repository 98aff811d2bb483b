"""The page of a checklist, on the screen and on paper, and who ticks on this device."""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from fastapi import Request, Response

from homeshelf.access.view import Visit, Visitor
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.checklist.bodies import WhoForm
from homeshelf.shares.checklist.fields import LONGEST_WHO, ItemBody
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.opening import SeenChecklist
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.model import KeptList
from homeshelf.shares.opening import AtList
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.pages import see_other
from homeshelf.web.services import BaseUrl

router = list_router()

COOKIE = "homeshelf-who"
KEPT_SECONDS = 365 * 24 * 3600
FULL = _("The list is full: it holds 500 things.")
SAID = {
    "gone": _("Somebody took this off the list meanwhile."),
    "full": FULL,
}


@dataclass(frozen=True)
class Removed:
    """An item that was just removed, and the id of the item that it stood before."""

    item: ChecklistItem
    before: str | None


@router.post("/{shortId}/who")
async def say_who(view: Visit, at: SeenChecklist) -> Response:
    form = await view.form(WhoForm)
    if form.body is None:
        return await show_list(view, at, naming=form)
    answer = see_other(path_of(at.shared))
    answer.set_cookie(
        COOKIE,
        quote(form.body.who or "", safe=""),
        max_age=KEPT_SECONDS if form.body.who else 0,
        path="/s",
        httponly=True,
        samesite="lax",
        secure=view.request.url.scheme == "https",
    )
    return answer


@router.get("/{shortId}/print")
async def print_page(view: Visit, at: SeenChecklist, base: BaseUrl) -> Response:
    link = f"{base}{path_of(at.shared)}"
    return await view.page(
        "checklist/print.html",
        shared=at.shared,
        items=(await store.opened(view.db, at.shared)).items,
        link=link,
        qr=qr_code(link, border=2),
    )


async def show_list(
    view: Visitor,
    at: AtList,
    said: str = "",
    removed: Removed | None = None,
    adding: Form[ItemBody] | None = None,
    naming: Form[WhoForm] | None = None,
) -> Response:
    found = await store.opened(view.db, at.shared)
    shell, kept = await view.shell(), None
    if shell.account is not None:
        kept = await view.db.get(
            KeptList.key(member_id=shell.account.member_id, short_id=at.shared.short_id)
        )
    expired = at.shared.is_expired()
    return await view.page(
        "checklist/list.html",
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
        adding=adding or Form(ItemBody),
        naming=naming or Form(WhoForm),
    )


def who_of(request: Request) -> str | None:
    return unquote(request.cookies.get(COOKIE, ""))[:LONGEST_WHO].strip() or None
