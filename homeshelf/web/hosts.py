"""The names under which Homeshelf is asked for.

A page of somebody else's whose name leads here would be of the same origin as ours for a browser:
so a name that is not ours gets nothing. Addresses in numbers lead to nobody else.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.types import Scope

from homeshelf import ip
from homeshelf.sentences import _
from homeshelf.web.pages import page
from homeshelf.web.problems import problem_response

FOR_ANY_NAME = frozenset({"/healthz", "/readyz", "/metrics"})


class Hosts:
    def __init__(self, public_url: str | None, names: Iterable[str]) -> None:
        """Where no address is public, there is none that could be another's."""
        self._home = public_url
        ours = urlsplit(public_url or "").hostname or ""
        self._names = frozenset(map(_on_the_wire, (ours, "localhost", *names)))

    def serves(self, scope: Scope) -> bool:
        if self._home is None or scope["path"] in FOR_ANY_NAME:
            return True
        host = Headers(scope=scope).get("host", "")
        return not host or _name(host) in self._names or ip.address(host) is not None

    def refusal(self, request: Request) -> Response:
        """For a person a plain page: its style would be asked for by the same name."""
        if request.url.path.startswith("/api/"):
            return problem_response(
                421, "not_found", _("Homeshelf is at {_home}.", _home=self._home)
            )
        return page(request, "web/misdirected.html", 421, home=self._home)


def _on_the_wire(name: str) -> str:
    """As browsers send a name of other letters than ASCII's."""
    try:
        return name.encode("idna").decode()
    except UnicodeError:
        return name


def _name(host: str) -> str:
    """Without its port."""
    return host.rpartition(":")[0].rstrip(".").lower() if ":" in host else host.rstrip(".").lower()
