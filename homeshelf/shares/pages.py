"""The pages of a shared list for anyone with its link: to view, save, share and change it."""

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
from homeshelf.inventory.edit_conflict import conflict_messages
from homeshelf.sentences import _
from homeshelf.shares import saved_lists, store
from homeshelf.shares.bodies import SettingsForm, Unlock
from homeshelf.shares.creation_pages import DURATIONS_FROM_NOW, ask_for_passcodes_again
from homeshelf.shares.dependencies import (
    AccessibleList,
    AnyList,
    ChangeableList,
    ClonableList,
    ViewableList,
    redirect_with_cookie,
)
from homeshelf.shares.kind import kind_of
from homeshelf.shares.list_creation import change_list, grant_after_change
from homeshelf.shares.list_route import add_retry_after, list_router, locked_page, path_of
from homeshelf.shares.model import Shareable
from homeshelf.shares.passcodes import unlock
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import OutcomeKey, see_other
from homeshelf.web.paging import PageAsked
from homeshelf.web.services import BaseUrl

router = list_router()

MESSAGES = {"saved": _("Saved."), "kept": _("Saved to your lists.")}


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
async def keep_list(view: PersonView, target: ViewableList) -> Response:
    await saved_lists.save_list(view.db, view.who.member_id, target.shared, target.grant)
    return see_other(path_of(target.shared, "?said=kept"))


@router.post("/{shortId}/forget")
async def forget_list(view: PersonView, target: AnyList) -> Response:
    """Forget a saved list, even one that the person can no longer open."""
    with suppress(NotFound):  # the list was not saved
        await saved_lists.remove_list(view.db, view.who.member_id, target.shared.short_id)
    return see_other("/s/mine")


@router.get("/{shortId}")
async def list_page(
    view: Visit,
    target: ViewableList,
    typed: Annotated[str, Path(alias="shortId")],
    said: OutcomeKey = "",
) -> Response:
    if typed != target.shared.short_id:
        return see_other(path_of(target.shared))
    kind = kind_of(target.shared.entity)
    return await kind.show_page(view, target, {**MESSAGES, **kind.messages}.get(said, ""))


@router.get("/{shortId}/unlock")
async def unlock_page(view: Visit, target: AnyList) -> Response:
    expired = target.shared.is_expired()
    if target.shared.manager_role is None and not expired:
        return see_other(path_of(target.shared))
    return await locked_page(view.request, target.shared.short_id, expired=expired)


@router.post("/{shortId}/unlock")
async def unlock_list(view: Visit, target: AnyList) -> Response:
    form = await view.form(Unlock)
    show_form = partial(
        locked_page, view.request, target.shared.short_id, expired=target.shared.is_expired()
    )
    if form.body is None:
        wrong = form.wrong.get("passcode", _("Enter the passcode."))
        return await show_form(Unauthenticated(), wrong)
    try:
        grant = await unlock(
            view.services, address_of(view.request), target.shared, target.grant, form.body.passcode
        )
    except (Unauthenticated, RateLimited, Expired) as error:
        return await show_form(error, error.detail)
    return redirect_with_cookie(view.request, path_of(target.shared), target.shared, grant)


@router.get("/{shortId}/share")
async def share_page(
    view: Visit, target: ViewableList, base: BaseUrl, said: OutcomeKey = ""
) -> Response:
    link = f"{base}{path_of(target.shared)}"
    return await view.page(
        "shares/share.html",
        shared=target.shared,
        link=link,
        qr=qr_code(link, border=2),
        is_new=said == "new",
        is_printed=kind_of(target.shared.entity).is_printed,
    )


@router.get("/{shortId}/settings")
async def settings_page(view: Visit, target: ChangeableList) -> Response:
    return await _settings_page(view, target, Form(SettingsForm))


@router.post("/{shortId}/settings")
async def change_settings(view: Visit, target: ChangeableList) -> Response:
    form = await view.form(SettingsForm)
    if form.body is None:
        return await _settings_page(view, target, form)
    if form.body.contradictions:
        return await _settings_page(view, target, form.but(**form.body.contradictions))
    try:
        changed = await change_list(
            view.services,
            address_of(view.request),
            target.shared,
            form.body.change,
            form.body.passcodes,
        )
    except Invalid as wrong:
        return await _settings_page(view, target, form.but(**dict(wrong.errors)))
    except RateLimited as late:
        return add_retry_after(
            await _settings_page(view, target, form, late.detail, late.status), late
        )
    except VersionConflict:
        now = await store.get_list(view.db, target.shared.own_key())
        show_form = replace(form, typed=form.typed | {"version": str(now.version)})
        show_form = show_form.but(
            **conflict_messages(_comparable_fields(form.body), _comparable_fields(now))
        )
        said = _("Someone else changed this. Check it, then save.")
        return await _settings_page(view, replace(target, shared=now), show_form, said)
    grant = grant_after_change(changed.shared, target.grant)
    return redirect_with_cookie(
        view.request, path_of(target.shared, "?said=saved"), changed.shared, grant
    )


@router.post("/{shortId}/delete")
async def delete_list(view: Visit, target: ClonableList) -> Response:
    await store.delete_list(view.db, target.shared.own_key())
    return see_other("/s?said=deleted")


def _comparable_fields(shared: SettingsForm | Shareable) -> dict[str, str]:
    return {"name": shared.name, "note": " ".join((shared.note or "").split())}


async def _settings_page(
    view: Visitor,
    target: AccessibleList,
    form: Form[SettingsForm],
    said: str = "",
    status: int = 409,
) -> Response:
    return await view.page(
        "shares/settings.html",
        status if said else None,
        shared=target.shared,
        form=ask_for_passcodes_again(form),
        lives=DURATIONS_FROM_NOW,
        said=said,
    )
