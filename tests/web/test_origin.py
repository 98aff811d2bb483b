"""Forms are accepted only from our own pages."""

from fastapi.routing import iter_route_contexts

from homeshelf.app import create_app
from homeshelf.web.requests import PageRoute
from tests.api_client import call_app
from tests.home import Home
from tests.routes import every_route
from tests.running import SETTINGS

FROM_ANYWHERE = {
    "/t/{urlId}": "looks at no cookie: the address alone decides",
    "/unsubscribe/{token}": "looks at no cookie, and mail programs send to it by themselves",
}
FOREIGN: tuple[dict[str, str], ...] = (
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"origin": "http://elsewhere.test"},
    {"origin": "null"},
    {},
)
NOBODY: dict[str, str] = {}
CHANGING = [
    route
    for route in every_route(create_app(SETTINGS))
    if route.is_page and route.method != "GET" and route.path not in FROM_ANYWHERE
]


def test_every_page_route_checks_the_origin() -> None:
    others = {
        route.path
        for route in iter_route_contexts(create_app(SETTINGS).routes)
        if not (route.path or "").startswith("/api/")
        and (route.methods or set()) - {"GET", "HEAD"}
        and not isinstance(route.original_route, PageRoute)
    }
    assert others == set(FROM_ANYWHERE)
    assert len(CHANGING) > 50


async def test_cross_site_request_changes_nothing(home: Home) -> None:
    """The origin is checked before anything is looked up, for anonymous and signed-in callers."""
    token = home.admin.client.headers["authorization"]
    for route in CHANGING:
        for foreign in FOREIGN:
            for who in (NOBODY, {"authorization": token}):
                sent = {"host": "home.test", "accept": "text/html", **foreign, **who}
                answer = await call_app(
                    home.running.app, route.method, route.address({}), sent, b""
                )
                assert (str(route), answer.status) == (str(route), 403)
                assert "another site" in answer.text
