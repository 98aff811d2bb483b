"""The pages of a checklist: to view, to print, and to name the person who ticks."""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from fastapi import Request, Response

from homeshelf.access.view import Visit, Visitor
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.checklist.bodies import WhoForm
from homeshelf.shares.checklist.dependencies import ViewableChecklist
from homeshelf.shares.checklist.fields import MAX_PERSON_NAME, ItemBody
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.dependencies import AccessibleList
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.model import KeptList
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.pages import see_other
from homeshelf.web.services import BaseUrl

router = list_router()

COOKIE = "homeshelf-who"
KEPT_SECONDS = 365 * 24 * 3600
FULL = _("This list is full: it has 500 items.")
MESSAGES = {"gone": _("Someone removed this from the list."), "full": FULL}


@dataclass(frozen=True)
class RemovedItem:
    item: ChecklistItem
    before: str | None


@router.post("/{shortId}/who")
async def set_name(view: Visit, target: ViewableChecklist) -> Response:
    form = await view.form(WhoForm)
    if form.body is None:
        return await show_list(view, target, naming=form)
    answer = see_other(path_of(target.shared))
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
async def print_page(view: Visit, target: ViewableChecklist, base: BaseUrl) -> Response:
    link = f"{base}{path_of(target.shared)}"
    return await view.page(
        "checklist/print.html",
        shared=target.shared,
        items=(await store.load_list(view.db, target.shared)).items,
        link=link,
        qr=qr_code(link, border=2),
    )


async def show_list(
    view: Visitor,
    target: AccessibleList,
    said: str = "",
    removed: RemovedItem | None = None,
    adding: Form[ItemBody] | None = None,
    naming: Form[WhoForm] | None = None,
) -> Response:
    found = await store.load_list(view.db, target.shared)
    shell, kept = await view.shell(), None
    if shell.account is not None:
        kept = await view.db.get(
            KeptList.key(member_id=shell.account.member_id, short_id=target.shared.short_id)
        )
    expired = target.shared.is_expired()
    return await view.page(
        "checklist/list.html",
        shell=shell,
        shared=target.shared,
        items=found.items,
        done=sum(bool(item.checked) for item in found.items),
        expired=expired,
        manages=target.access == "admin" and not expired,
        locked_to_manage=target.access == "view",
        who=name_in_cookie(view.request) or "",
        listed=kept is not None and kept.listed,
        said=said,
        removed=removed,
        adding=adding or Form(ItemBody),
        naming=naming or Form(WhoForm),
    )


def name_in_cookie(request: Request) -> str | None:
    return unquote(request.cookies.get(COOKIE, ""))[:MAX_PERSON_NAME].strip() or None
