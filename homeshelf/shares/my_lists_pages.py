"""The lists that somebody who is signed in made or kept."""

from contextlib import suppress

from fastapi import Response

from homeshelf.access.view import PersonView
from homeshelf.errors import NotFound
from homeshelf.shares import keeping
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import AnyList, Seen
from homeshelf.web.pages import see_other
from homeshelf.web.paging import PageAsked

router = list_router()


@router.get("/mine")
async def my_lists_page(view: PersonView, asked: PageAsked) -> Response:
    start = asked.start(view.who.caller)
    lists, after = await keeping.my_lists(view.db, view.who.member_id, asked.limit, start)
    return await view.page(
        "shares/mine.html",
        lists=sorted(lists, key=lambda mine: mine.shared.expires_at, reverse=True),
        more=asked.following(view.who.caller, after),
    )


@router.post("/{shortId}/keep")
async def keep_list(view: PersonView, at: Seen) -> Response:
    await keeping.keep(view.db, view.who.member_id, at.shared, at.held)
    return see_other(path_of(at.shared, "?said=kept"))


@router.post("/{shortId}/forget")
async def forget_list(view: PersonView, at: AnyList) -> Response:
    """Nobody has to be able to open a list to be rid of it."""
    with suppress(NotFound):  # it was not among them any more
        await keeping.drop(view.db, view.who.member_id, at.shared.short_id)
    return see_other("/s/mine")
