"""`GET /events`: a stream that tells which records of the family changed, as they do."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Header, Query, Request, Response

from homeshelf.accounts.model import Account, Session, SessionTerms
from homeshelf.coordination.changes import SESSION_ENDED
from homeshelf.families.callers import FamilyMember, Member
from homeshelf.families.model import Member as Membership
from homeshelf.live.hub import Hub
from homeshelf.live.listener import Right
from homeshelf.live.stream import DOCUMENTED, EventStream
from homeshelf.table import Key
from homeshelf.web.openapi import answers
from homeshelf.web.requests import api_router

router = api_router()


@router.get("/events", response_class=Response, responses=DOCUMENTED)
@answers(None, 429)
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
    right = right_of(member, SessionTerms.of(request.app.state.services.settings))
    listening = hub.listening(member.family_id, right, last_event_id, since, visible=visible)
    return EventStream(place, listening)


def right_of(member: FamilyMember, terms: SessionTerms) -> Right:
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
            return 0  # another role hears other things: they come back with it
        if not membership.is_active or not terms.admit(session, account):
            return 0
        ends_at = terms.bounded(session, account).ends_at
        return session.ttl if ends_at is None else min(session.ttl, ends_at)

    watched = {(kind, member.member_id) for kind in ("Member", SESSION_ENDED)}
    return Right(keys, until, frozenset(watched), member.membership.is_admin)
