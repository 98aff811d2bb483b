"""The pages of tags in use, on the server's short way; whatever else there is to say of a tag is
said on the long one, by the endpoint."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from fastapi import FastAPI
from starlette.types import Scope

from homeshelf import clock
from homeshelf.taps.counting import AccessCounts
from homeshelf.taps.model import is_url_id
from homeshelf.taps.page_lookup import PageLookup
from homeshelf.taps.rendering import Bodies
from homeshelf.taps.request_headers import Wishes, wishes_in
from homeshelf.taps.request_lines import RequestLines
from homeshelf.web.forwarding import Forwarding
from homeshelf.web.hosts import Hosts
from homeshelf.web.short_way import PlainRequest, Reply


class Wanted(NamedTuple):
    number: int
    """Among those who ask together."""
    url_id: str
    scheme: str
    wishes: Wishes


@dataclass(frozen=True)
class QuickPages:
    app: FastAPI
    start: bytes
    forwarding: Forwarding
    hosts: Hosts
    lines: RequestLines
    lookup: PageLookup
    counts: AccessCounts
    bodies: Bodies
    headers: Mapping[tuple[str, bool], bytes]
    """By scheme, and for those who unpack."""

    def replies(self, requests: Sequence[PlainRequest]) -> Sequence[Reply | None]:
        replies: list[Reply | None] = [None] * len(requests)
        with suppress(Exception):  # the long way says what is wrong
            self._fill(replies, requests)
        return replies

    def _fill(self, replies: list[Reply | None], requests: Sequence[PlainRequest]) -> None:
        began = perf_counter()
        all_wanted = [
            wanted for number, each in enumerate(requests) if (wanted := self._wanted(number, each))
        ]
        contents = self.lookup.contents_at_once([wanted.url_id for wanted in all_wanted])
        for (number, url_id, scheme, wishes), content in zip(all_wanted, contents, strict=True):
            if content is not None:
                body = self.bodies.page(content, clock.new_token(), packed=wishes.packed)
                replies[number] = Reply(200, self.headers[scheme, wishes.packed], body)
                if not wishes.prepared:
                    self.counts.note(content.tag)
                self.lines.note("GET", url_id, 200, perf_counter() - began)

    def _wanted(self, number: int, request: PlainRequest) -> Wanted | None:
        head, client, scheme = request
        path = head.target.decode("ascii")
        url_id = path[len(self.start) :]
        if not is_url_id(url_id):
            return None
        scope: Scope = {
            "app": self.app,
            "client": client,
            "headers": head.headers,
            "path": path,
            "scheme": scheme,
        }
        self.forwarding.believe(scope)
        if not self.hosts.serves(scope):
            return None
        return Wanted(number, url_id, scope["scheme"], wishes_in(head.headers))
