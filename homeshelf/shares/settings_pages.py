"""A shared list's name, passcodes and last day; and its end."""

from fastapi import Response

from homeshelf.access.view import Visit, Visitor
from homeshelf.errors import Invalid, VersionConflict
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.bodies import SettingsForm
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.making import change_list, held_after
from homeshelf.shares.making_pages import LIVES
from homeshelf.shares.opening import AtList, Changing, Deleting
from homeshelf.shares.removing import remove
from homeshelf.shares.tokens import keep_in_cookie
from homeshelf.web.forms import Form
from homeshelf.web.pages import see_other

router = list_router()

MEANWHILE = _("Somebody changed the list meanwhile, so nothing was saved. Here is how it is now.")


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
        changed = await change_list(view.services, at.shared, form.body.wanted, form.body.passcodes)
    except Invalid as wrong:
        return await _settings(view, at, form.but(**dict(wrong.errors)))
    except VersionConflict:
        now = await store.current(view.db, at.shared.own_key())
        fresh = AtList(now, at.held, at.access, at.once)
        return await _settings(view, fresh, Form(SettingsForm), MEANWHILE)
    answer = see_other(path_of(at.shared, "?said=saved"))
    held = held_after(changed.shared, at.held)
    if held.role is not None:
        keep_in_cookie(view.request, answer, changed.shared, held)
    return answer


@router.post("/{shortId}/delete")
async def delete_list(view: Visit, at: Deleting) -> Response:
    await remove(view.db, at.shared.own_key())
    return see_other("/s?said=deleted")


async def _settings(
    view: Visitor, at: AtList, form: Form[SettingsForm], said: str = ""
) -> Response:
    return await view.page(
        "shares/settings.html",
        409 if said else None,
        shared=at.shared,
        form=form,
        lives=LIVES,
        said=said,
    )
