"""The pages of a shared list for everybody with its link: to see, keep, share and change it."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import Path, Response

from homeshelf.access.view import PersonView, Visit, Visitor
from homeshelf.errors import (
    Expired,
    Invalid,
    NotFound,
    RateLimited,
    Unauthenticated,
    VersionConflict,
)
from homeshelf.inventory.edit_conflict import beside
from homeshelf.sentences import _
from homeshelf.shares import saved_lists, store
from homeshelf.shares.bodies import SettingsForm, Unlock
from homeshelf.shares.kind import kind_of
from homeshelf.shares.list_route import add_retry_after, closed_page, list_router, path_of
from homeshelf.shares.making import change_list, held_after
from homeshelf.shares.making_pages import LIVES_FROM_NOW, asking_again
from homeshelf.shares.model import Shareable
from homeshelf.shares.opening import AnyList, AtList, Changing, Owning, Seen, let_in
from homeshelf.shares.unlocking import unlock
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import Said, see_other
from homeshelf.web.paging import PageAsked
from homeshelf.web.services import BaseUrl

router = list_router()

SAID = {
    "saved": _("Saved."),
    "kept": _("It is among your lists now."),
}


@router.get("/mine")
async def my_lists_page(view: PersonView, asked: PageAsked) -> Response:
    lists, after = await saved_lists.my_lists(
        view.db, view.who.member_id, asked.limit, asked.start(view.who.caller)
    )
    return await view.page(
        "shares/mine.html",
        lists=sorted(lists, key=lambda mine: mine.shared.expires_at, reverse=True),
        more=asked.following(view.who.caller, after),
    )


@router.post("/{shortId}/keep")
async def keep_list(view: PersonView, at: Seen) -> Response:
    await saved_lists.keep(view.db, view.who.member_id, at.shared, at.held)
    return see_other(path_of(at.shared, "?said=kept"))


@router.post("/{shortId}/forget")
async def forget_list(view: PersonView, at: AnyList) -> Response:
    """Forget a saved list, also one that the person can no longer open."""
    with suppress(NotFound):  # it was not among them any more
        await saved_lists.drop(view.db, view.who.member_id, at.shared.short_id)
    return see_other("/s/mine")


@router.get("/{shortId}")
async def list_page(
    view: Visit, at: Seen, typed: Annotated[str, Path(alias="shortId")], said: Said = ""
) -> Response:
    if typed != at.shared.short_id:
        return see_other(path_of(at.shared))
    kind = kind_of(at.shared.entity)
    return await kind.page(view, at, {**SAID, **kind.said}.get(said, ""))


@router.get("/{shortId}/unlock")
async def unlock_page(view: Visit, at: AnyList) -> Response:
    expired = at.shared.is_expired()
    if at.shared.own_role is None and not expired:
        return see_other(path_of(at.shared))
    return await closed_page(view.request, at.shared.short_id, expired=expired)


@router.post("/{shortId}/unlock")
async def unlock_list(view: Visit, at: AnyList) -> Response:
    form = await view.form(Unlock)
    again = partial(closed_page, view.request, at.shared.short_id, expired=at.shared.is_expired())
    if form.body is None:
        wrong = form.wrong.get("passcode", _("The passcode is needed."))
        return await again(Unauthenticated(), wrong)
    try:
        held = await unlock(
            view.services, address_of(view.request), at.shared, at.held, form.body.passcode
        )
    except (Unauthenticated, RateLimited, Expired) as error:
        return await again(error, error.detail)
    return let_in(view.request, path_of(at.shared), at.shared, held)


@router.get("/{shortId}/share")
async def share_page(view: Visit, at: Seen, base: BaseUrl, said: Said = "") -> Response:
    link = f"{base}{path_of(at.shared)}"
    return await view.page(
        "shares/share.html",
        shared=at.shared,
        link=link,
        qr=qr_code(link, border=2),
        is_new=said == "new",
        is_printed=kind_of(at.shared.entity).is_printed,
    )


@router.get("/{shortId}/settings")
async def settings_page(view: Visit, at: Changing) -> Response:
    return await _settings(view, at, Form(SettingsForm))


@router.post("/{shortId}/settings")
async def change_settings(view: Visit, at: Changing) -> Response:
    form = await view.form(SettingsForm)
    if form.body is None:
        return await _settings(view, at, form)
    if form.body.unsure:
        return await _settings(view, at, form.but(**form.body.unsure))
    try:
        changed = await change_list(
            view.services,
            address_of(view.request),
            at.shared,
            form.body.wanted,
            form.body.passcodes,
        )
    except Invalid as wrong:
        return await _settings(view, at, form.but(**dict(wrong.errors)))
    except RateLimited as late:
        return add_retry_after(await _settings(view, at, form, late.detail, late.status), late)
    except VersionConflict:
        now = await store.current(view.db, at.shared.own_key())
        again = replace(form, typed=form.typed | {"version": str(now.version)})
        again = again.but(**beside(_in_words(form.body), _in_words(now)))
        said = _("Somebody changed it meanwhile. Look once more, then save.")
        return await _settings(view, replace(at, shared=now), again, said)
    held = held_after(changed.shared, at.held)
    return let_in(view.request, path_of(at.shared, "?said=saved"), changed.shared, held)


@router.post("/{shortId}/delete")
async def delete_list(view: Visit, at: Owning) -> Response:
    await store.remove(view.db, at.shared.own_key())
    return see_other("/s?said=deleted")


def _in_words(shared: SettingsForm | Shareable) -> dict[str, str]:
    return {"name": shared.name, "note": " ".join((shared.note or "").split())}


async def _settings(
    view: Visitor, at: AtList, form: Form[SettingsForm], said: str = "", status: int = 409
) -> Response:
    return await view.page(
        "shares/settings.html",
        status if said else None,
        shared=at.shared,
        form=asking_again(form),
        lives=LIVES_FROM_NOW,
        said=said,
    )
