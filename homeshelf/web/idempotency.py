"""`Idempotency-Key`: a request that is sent again finds its first answer.

The answer is put in the transaction that carries the request out (see
`coordination/idempotency.py`), so a handler says how the answer looks before it is known to have
happened:

    return await person.once.answer(
        db, lambda unit: store.found_family(unit, person.member_id, name), status=201
    )
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastapi import Request, Response

from homeshelf.coordination.idempotency import (
    AlreadyAnswered,
    Answer,
    answer,
    content_digest,
    request_digest,
)
from homeshelf.errors import HomeshelfError, IdempotencyMismatch, Invalid
from homeshelf.languages import ENGLISH, LANGUAGES, answer_in, reader_language
from homeshelf.sentences import _
from homeshelf.signing import Signer, same
from homeshelf.table import Database, Write
from homeshelf.web.json import Json, decode, encode, shown
from homeshelf.web.marks import Handler, marked
from homeshelf.web.spooling import is_for_disk, spooled_for_later


@dataclass(frozen=True)
class Once:
    """One caller's request; where it has no idempotency key nothing is kept."""

    caller: str
    key: str | None
    method: str
    path: str
    content: bytes
    """A seal of what was sent: the request itself may hold a password."""
    by_older_keys: tuple[bytes, ...] = ()
    """The seals of keys that no longer sign, by which an earlier answer may have been kept."""
    count_stored: Callable[[int], None] | None = None
    """Called with the bytes of a response before it is stored; raises past a limit."""

    def unit(self, db: Database, shown: Callable[[Any], Any], status: int = 200) -> Database:
        """For the one piece of work that the request asks for: its answer is kept with it.

        Without secrets: a replay mints those anew.
        """
        key, count_stored = self.key, self.count_stored
        if key is None:
            return db

        def keep(result: Any) -> Sequence[Write]:
            nonlocal count_stored
            encoded = encode(shown(result))
            if count_stored is not None:
                count_stored(STORED_BYTES + len(encoded))
                count_stored = None  # a retry after a conflict stores nothing more
            body = encoded.decode()
            request = self.caller, self.method, self.path, key, self.content
            return (answer(*request, status, body, reader_language().code).first(),)

        return db.also(keep)

    async def answer(
        self,
        db: Database,
        work: Callable[[Database], Awaitable[Any]],
        shown: Callable[[Any], Any] = shown,
        status: int = 200,
    ) -> Response:
        """Do that one piece of work, and answer with what came of it."""
        return Json(shown(await work(self.unit(db, shown, status))), status)

    def of_form(self, key: str, content: str = "") -> "Once":
        """The same for a form, whose request has no header: what it does has a key by itself."""
        return replace(self, key=key, content=content.encode())

    async def outcome(
        self,
        db: Database,
        work: Callable[[Database], Awaitable[Any]],
        shown: Callable[[Any], Any] = shown,
    ) -> Any:
        """What comes of that piece of work; where it was done before, what came of it then."""
        try:
            await self.look(db)
            try:
                return shown(await work(self.unit(db, shown)))
            except HomeshelfError:  # perhaps because the same was done at this moment
                await self.look(db)
                raise
        except AlreadyAnswered as earlier:
            if not self.is_repeated(earlier.kept):
                raise IdempotencyMismatch from None
            return decode(earlier.kept.body)

    async def look(self, db: Database) -> None:
        """Raise what was answered before, if anything was."""
        if self.key is None:
            return
        request = request_digest(self.method, self.path, self.key)
        kept = await db.get(Answer.key(caller=self.caller, request=request))
        if kept is not None:
            raise AlreadyAnswered(kept)

    def is_repeated(self, kept: Answer) -> bool:
        """Whether the same was sent before, and not another request under its key."""
        seals = (self.content, *self.by_older_keys)
        return any(same(kept.content, content_digest(each)) for each in seals)

    async def replay(self, request: Request, kept: Answer) -> Response:
        """In the language of the first answer."""
        if not self.is_repeated(kept):
            raise IdempotencyMismatch
        answer_in(LANGUAGES.get(kept.language or "", ENGLISH))
        if kept.status == 204 or kept.body == NO_BODY:
            return Response(status_code=kept.status)
        mint: Mint | None = getattr(request.scope["endpoint"], "mint", None)
        if mint is None:
            return Response(kept.body.encode(), kept.status, media_type="application/json")
        return Json(await mint(request, decode(kept.body)), kept.status)


NO_BODY = "null"
STORED_BYTES = 400
"""Keys and digests, stored beside the body of a response."""

Mint = Callable[[Request, dict[str, Any]], Awaitable[dict[str, Any]]]


def minting(mint: Mint) -> Callable[[Handler], Handler]:
    """For a handler whose answer holds a secret: `mint` adds one to the answer that was kept."""
    return marked(mint=mint)


async def once_by(request: Request, caller: str, family_id: str = "") -> Once:
    """The request as this caller's; raises AlreadyAnswered where it was carried out before.

    What was done in one family is not answered in another.
    """
    key = request.headers.get("idempotency-key")
    if request.method not in ("POST", "PATCH"):
        key = None
    if key is not None and not (1 <= len(key) <= 128 and all("!" <= c <= "~" for c in key)):
        raise Invalid([("Idempotency-Key", _("This must be 1 to 128 visible characters."))])
    content, *older = await _seals(request) if key is not None else [b""]
    path = f"{family_id}{request.scope['path']}"
    once = Once(caller, key, request.method, path, content, tuple(older))
    request.state.once = once
    await once.look(request.app.state.services.db)
    return once


async def _seals(request: Request) -> list[bytes]:
    """No body and an empty one are the same."""
    signer: Signer = request.app.state.services.signer
    if is_for_disk(request):
        found = signer.seals_of_file("answer", await spooled_for_later(request))
    else:
        body = await request.body()
        found = signer.seals("answer", b"" if body == b"{}" else body)
    return [each.encode() for each in found]
