"""The lists that somebody who is signed in made or kept."""

from contextlib import suppress

from fastapi import Request, Response

from homeshelf.access import Person
from homeshelf.access.shell import shell_for
from homeshelf.errors import NotFound
from homeshelf.shares import keeping
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import AnyList, Seen
from homeshelf.web.pages import page, see_other
from homeshelf.web.paging import PageAsked
from homeshelf.web.services import TheServices

router = list_router()


@router.get("/mine")
async def my_lists_page(
    request: Request, person: Person, services: TheServices, asked: PageAsked
) -> Response:
    start = asked.start(person.caller)
    lists, after = await keeping.my_lists(services.db, person.member_id, asked.limit, start)
    return page(
        request,
        "shares/mine.html",
        shell=await shell_for(request, services, person),
        lists=sorted(lists, key=lambda mine: mine.shared.expires_at, reverse=True),
        more=asked.following(person.caller, after),
    )


@router.post("/{shortId}/keep")
async def keep_list(person: Person, at: Seen, services: TheServices) -> Response:
    await keeping.keep(services.db, person.member_id, at.shared, at.held)
    return see_other(path_of(at.shared, "?said=kept"))


@router.post("/{shortId}/forget")
async def forget_list(person: Person, at: AnyList, services: TheServices) -> Response:
    """Nobody has to be able to open a list to be rid of it."""
    with suppress(NotFound):  # it was not among them any more
        await keeping.drop(services.db, person.member_id, at.shared.short_id)
    return see_other("/s/mine")
