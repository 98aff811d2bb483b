"""`GET /events`: a stream that tells which records of the family changed, as they do."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from typing import Annotated, Any

from fastapi import Header, Query, Request, Response
from starlette.types import Receive, Scope, Send

from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.terms import SessionTerms
from homeshelf.coordination.changes import SESSION_ENDED
from homeshelf.families.model import Member as Membership
from homeshelf.live.hub import Hub
from homeshelf.live.listener import Listener, Right
from homeshelf.table import Key
from homeshelf.web.access import InFamily, Member
from homeshelf.web.requests import api_router

QUIET_SECONDS = 15.0
STALLED_SECONDS = 30.0
COMMENT = b": homeshelf\n\n"
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One event a changed record, and `reset` where some were missed.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'id: ...\ndata: {"type":"ShoppingListItem","id":"...","version":3}\n\n',
            }
        },
    }
}

router = api_router()


@router.get("/events", response_class=Response, responses=DOCUMENTED)
async def events(
    request: Request,
    member: Member,
    last_event_id: Annotated[str | None, Header()] = None,
    since: Annotated[str | None, Query()] = None,
    visible: Annotated[bool, Query()] = True,
) -> Response:
    """`since` is when a page was made: it hears what changed between then and now, too.

    `visible=0` says that nobody sees the page: it may then hear some seconds later.
    """
    hub: Hub = request.app.state.hub
    place = hub.places.hold(member.member_id)
    right = right_of(member, request.app.state.services.terms)
    listening = hub.listening(member.family_id, right, last_event_id, since, visible=visible)
    return EventStream(place, listening)


def right_of(member: InFamily, terms: SessionTerms) -> Right:
    """The session and the membership: when either ends, so does the stream.

    Who came with an identity provider's token has no session but that.
    """
    own = member.session
    keys: list[Key[Any]] = [member.account.own_key(), member.membership.own_key()]
    if own.is_kept:
        keys.append(own.own_key())

    def until(found: Sequence[Any]) -> float:
        account: Account | None
        membership: Membership | None
        session: Session | None
        account, membership, session = found if own.is_kept else (*found, own)
        if account is None or membership is None or session is None:
            return 0
        if membership.is_admin != member.membership.is_admin:
            return 0  # another role hears other things: whoever it is comes back with it
        if not membership.is_active or not terms.admit(session, account):
            return 0
        ends_at = terms.bounded(session, account).ends_at
        return session.ttl if ends_at is None else min(session.ttl, ends_at)

    watched = {(kind, member.member_id) for kind in ("Member", SESSION_ENDED)}
    return Right(keys, until, frozenset(watched), member.membership.is_admin)


class EventStream(Response):
    """A stream of server-sent events, for as long as its listener may hear them."""

    media_type = "text/event-stream"

    def __init__(
        self,
        place: AbstractContextManager[None],
        listening: AbstractAsyncContextManager[Listener],
    ) -> None:
        # A proxy that collects an answer before it passes it on would keep the news to itself.
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._place = place
        self._listening = listening

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            async with self._listening as listener:
                watcher = asyncio.create_task(_end_with_client(receive, listener))
                try:
                    await self._stream(send, listener)
                finally:
                    watcher.cancel()
                    with suppress(asyncio.CancelledError):
                        await watcher

    async def _stream(self, send: Send, listener: Listener) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await _send_some(send, COMMENT)
        with suppress(TimeoutError):
            while not listener.ended:
                news = await listener.news(QUIET_SECONDS)
                if news or not listener.ended:
                    await _send_some(send, news or COMMENT)
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_some(send: Send, body: bytes) -> None:
    """A client that takes nothing for so long is gone, though nobody said so."""
    async with asyncio.timeout(STALLED_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _end_with_client(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.end()
