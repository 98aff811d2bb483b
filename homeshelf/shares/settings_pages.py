"""A shared list's name, passcodes and last day; and its end."""

from fastapi import Request, Response

from homeshelf.errors import Invalid, VersionConflict
from homeshelf.shares import store
from homeshelf.shares.bodies import SettingsForm
from homeshelf.shares.list_route import list_router, path_of, shell_around
from homeshelf.shares.making import change_list, held_after
from homeshelf.shares.making_pages import LIVES
from homeshelf.shares.opening import AtList, Changing, Deleting
from homeshelf.shares.removing import remove
from homeshelf.shares.tokens import keep_in_cookie
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.pages import page, see_other
from homeshelf.web.services import Services, TheServices

router = list_router()

MEANWHILE = "Somebody changed the list meanwhile, so nothing was saved. Here is how it is now."


@router.get("/{shortId}/settings")
async def settings_page(request: Request, at: Changing, services: TheServices) -> Response:
    return await _settings(request, services, at, Form(SettingsForm))


@router.post("/{shortId}/settings")
async def change_settings(request: Request, at: Changing, services: TheServices) -> Response:
    form = await sent_form(request, SettingsForm)
    if form.body is None:
        return await _settings(request, services, at, form)
    if form.body.unsure:
        return await _settings(request, services, at, form.but(**form.body.unsure))
    try:
        changed = await change_list(services, at.shared, form.body.wanted, form.body.passcodes)
    except Invalid as wrong:
        return await _settings(request, services, at, form.but(**dict(wrong.errors)))
    except VersionConflict:
        now = await store.current(services.db, at.shared.own_key())
        fresh = AtList(now, at.held, at.access, at.once)
        return await _settings(request, services, fresh, Form(SettingsForm), MEANWHILE)
    answer = see_other(path_of(at.shared, "?said=saved"))
    held = held_after(changed.shared, at.held)
    if held.role is not None:
        keep_in_cookie(request, answer, changed.shared, held)
    return answer


@router.post("/{shortId}/delete")
async def delete_list(at: Deleting, services: TheServices) -> Response:
    await remove(services.db, at.shared.own_key())
    return see_other("/s?said=deleted")


async def _settings(
    request: Request, services: Services, at: AtList, form: Form[SettingsForm], said: str = ""
) -> Response:
    return page(
        request,
        "shares/settings.html",
        409 if said else 400 if form.wrong else 200,
        shell=await shell_around(request, services),
        shared=at.shared,
        form=form,
        lives=LIVES,
        said=said,
    )
