"""`Idempotency-Key`: a repeated request gets its first response.

The response is stored in the transaction of the change (see `coordination/idempotency.py`), so a
handler passes the function that makes the change:

    return await person.request.respond(
        db, lambda unit: store.found_family(unit, person.member_id, name), status=201
    )
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fastapi import Request, Response

from homeshelf.coordination.idempotency import (
    ReplayedResponse,
    StoredResponse,
    content_digest,
    request_digest,
    stored_response,
)
from homeshelf.errors import HomeshelfError, IdempotencyMismatch, Invalid
from homeshelf.languages import ENGLISH, LANGUAGES, reader_language, set_reader_language
from homeshelf.sentences import _
from homeshelf.signing import same
from homeshelf.table import Database, TableError, Write
from homeshelf.web.body_limits import limits_of
from homeshelf.web.json import Json, decode, encode, shown
from homeshelf.web.services import services_of
from homeshelf.web.spooling import spool_body_for_later

STORED_BYTES = 400
"""The size of a stored response without its body."""

T = TypeVar("T")


@dataclass(frozen=True)
class IdempotentRequest:
    """A request of one caller, carried out once however often it is sent."""

    caller: str
    key: str | None
    """The idempotency key; without one nothing is stored."""
    method: str
    path: str
    content: bytes
    """A seal of the request's content, because the content itself may hold a password."""
    by_older_keys: tuple[bytes, ...] = ()
    """The seals by retired signing keys, one of which may have sealed an earlier request."""
    stored: StoredResponse | None = None
    """The response, if the request was carried out before."""
    count_stored: Callable[[int], None] | None = None
    """Counts the bytes of a response before it is stored, and raises past a limit."""

    async def respond(
        self,
        db: Database,
        work: Callable[[Database], Awaitable[T]],
        shown: Callable[[Any], Any] = shown,
        status: int = 200,
        *,
        add_secret: Callable[[dict[str, Any], T | None], Awaitable[dict[str, Any]]] | None = None,
    ) -> Response:
        """Carry the request out, or repeat its first response in the language of that response.

        `work` gets a database whose next transaction stores the response. Secrets are not stored:
        `add_secret` adds them; on a repeated request it gets no result.
        """
        result, stored = None, self.stored
        if stored is None:
            try:
                result = await work(self._storing(db, shown, status))
            except (ReplayedResponse, HomeshelfError) as error:
                stored = await self._stored_meanwhile(db, error)
        if stored is not None:
            set_reader_language(LANGUAGES.get(stored.language or "", ENGLISH))
            status = stored.status
        body = decode(stored.body) if stored else shown(result)
        if body is None:
            return Response(status_code=status)
        return Json(await add_secret(body, result) if add_secret else body, status)

    async def outcome(
        self,
        db: Database,
        work: Callable[[Database], Awaitable[T]],
        shown: Callable[[Any], Any] = shown,
        status: int = 200,
    ) -> Any:
        """Carry the request out, and return the content of its response."""
        stored = await self.look(db)
        if stored is None:
            try:
                return shown(await work(self._storing(db, shown, status)))
            except (ReplayedResponse, HomeshelfError) as error:
                stored = await self._stored_meanwhile(db, error)
        return decode(stored.body)

    def of_form(self, key: str, content: str = "") -> "IdempotentRequest":
        """Return the request with a key of the form's own, because forms send no header."""
        return replace(self, key=key, content=content.encode(), stored=None)

    async def look(self, db: Database) -> StoredResponse | None:
        """Return the stored response if the request was carried out before."""
        if self.key is None:
            return None
        digest = request_digest(self.method, self.path, self.key)
        stored = await db.get(StoredResponse.key(caller=self.caller, request=digest))
        return None if stored is None else self._repeated(stored)

    async def _stored_meanwhile(self, db: Database, error: Exception) -> StoredResponse:
        """Return the response that another task stored for this request, or raise the error."""
        if isinstance(error, ReplayedResponse):
            return self._repeated(error.stored)
        with suppress(TableError):
            if stored := await self.look(db):
                return stored
        raise error

    def _storing(self, db: Database, shown: Callable[[Any], Any], status: int) -> Database:
        """Return a database that writes the response with its next transaction."""
        key, count_stored = self.key, self.count_stored
        if key is None:
            return db

        def write_response(result: Any) -> Sequence[Write]:
            nonlocal count_stored
            body = encode(shown(result))
            if count_stored is not None:
                count_stored(STORED_BYTES + len(body))
                count_stored = None  # a retry after a conflict stores no more bytes
            request = self.caller, self.method, self.path, key, self.content
            language = reader_language().code
            response = stored_response(*request, status, body.decode(), language)
            return (response.put_once(),)

        return db.with_extra_writes(write_response)

    def _repeated(self, stored: StoredResponse) -> StoredResponse:
        """Raise IdempotencyMismatch if another request has used the same key."""
        seals = (self.content, *self.by_older_keys)
        if not any(same(stored.content, content_digest(each)) for each in seals):
            raise IdempotencyMismatch
        return stored


async def idempotent_request(
    request: Request, caller: str, family_id: str = ""
) -> IdempotentRequest:
    """Return the caller's request, with its stored response if it was carried out before.

    A request in one family is not answered with a response from another.
    """
    key = request.headers.get("idempotency-key")
    if request.method not in ("POST", "PATCH"):
        key = None
    if key is not None and not (1 <= len(key) <= 128 and all("!" <= c <= "~" for c in key)):
        raise Invalid([("Idempotency-Key", _("This must be 1 to 128 visible characters."))])
    content, *older = await _seals(request) if key is not None else [b""]
    path = f"{family_id}{request.scope['path']}"
    found = IdempotentRequest(caller, key, request.method, path, content, tuple(older))
    return replace(found, stored=await found.look(services_of(request).db))


async def _seals(request: Request) -> list[bytes]:
    """Return the seals of the body; a missing body and an empty one have the same."""
    signer = services_of(request).signer
    if limits_of(request.scope).on_disk:
        found = signer.seals_of_file("answer", await spool_body_for_later(request))
    else:
        body = await request.body()
        found = signer.seals("answer", b"" if body == b"{}" else body)
    return [each.encode() for each in found]
