"""Pages of results, and the signed tokens that lead from one to the next.

A token is bound to its caller and its query, and is refused with any other.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi import Query as Asked
from fastapi.dependencies.models import Dependant

from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.signing import Signer, decoded, encoded
from homeshelf.table import Database, Query, as_json
from homeshelf.web.json import Json
from homeshelf.web.services import services_of

_KNOWN = ("limit", "nextToken")
MOST_IN_TOKEN = 5000
"""The maximum length of a token, enough for the longest sort key in any script."""


@dataclass(frozen=True)
class Paging:
    """The `limit` and `nextToken` of a request."""

    limit: int
    token: str | None
    signer: Signer
    question: str

    def start(self, caller: str) -> Any:
        """Return the position at which the last page ended; None for the first page."""
        if self.token is None:
            return None
        text, _dot, seal = self.token.partition(".")
        if not self.signer.is_seal(seal, "page", self._sealed(caller, text)):
            raise Invalid([("nextToken", _("This isn’t a page of this list."))])
        return json.loads(decoded(text))

    def following(self, caller: str, mark: Any) -> str | None:
        if mark is None:
            return None
        text = encoded(json.dumps(mark, ensure_ascii=False, separators=(",", ":")).encode())
        return f"{text}.{self.signer.seal('page', self._sealed(caller, text))}"

    async def answer(
        self,
        db: Database,
        caller: str,
        query: Query[Any],
        shown: Callable[[Any], Mapping[str, Any]] | None = None,
    ) -> Response:
        """Respond with one page of a query's results."""
        start = self.start(caller)
        if shown is None:
            page = await db.query(as_json(query).page(self.limit, start))
            return Json(self.envelope(caller, page.items, page.next))
        page = await db.query(query.page(self.limit, start))
        return Json(self.envelope(caller, [shown(record) for record in page.items], page.next))

    def envelope(
        self, caller: str, items: Sequence[Any], mark: Any, name: str = "items"
    ) -> dict[str, Any]:
        token = self.following(caller, mark)
        return {name: items} if token is None else {name: items, "nextToken": token}

    def _sealed(self, caller: str, text: str) -> bytes:
        return f"{caller}\n{self.question}\n{text}".encode()


async def paging(
    request: Request,
    limit: Annotated[int, Asked(ge=1, le=100)] = 50,
    next_token: Annotated[str | None, Asked(alias="nextToken", max_length=MOST_IN_TOKEN)] = None,
) -> Paging:
    given = [each for each in request.query_params.multi_items() if each[0] not in _KNOWN]
    if given:
        understood = set(_query_parameters(request.scope["route"].dependant))
        given = sorted(each for each in given if each[0] in understood)
    question = f"{request.scope['path']}?{json.dumps(given) if given else '[]'}"
    return Paging(limit, next_token, services_of(request).signer, question)


def _query_parameters(dependant: Dependant) -> Iterator[str]:
    """Yield the query parameters of a handler; tokens do not depend on others."""
    yield from (field.alias for field in dependant.query_params)
    for each in dependant.dependencies:
        yield from _query_parameters(each)


PageAsked = Annotated[Paging, Depends(paging)]
