"""Which route a request takes: the one that the framework would have found."""

from hypothesis import given
from hypothesis import strategies as st
from starlette.routing import BaseRoute, Match
from starlette.routing import Route as PlainRoute
from starlette.types import Scope

from homeshelf.app import create_app
from homeshelf.web.handlers import HandlerRoute
from homeshelf.web.routing import Routes
from tests.routes import every_route
from tests.running import SETTINGS

APP = create_app(SETTINGS)
EVERY = every_route(APP)
ROUTES = Routes(APP.routes)
WORDS = sorted(
    {word for each in EVERY for word in each.path.split("/")} | {"a", "a.js", "{}", "\n"}
)
METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "BREW"]


def test_every_route_is_found() -> None:
    for route in EVERY:
        scope = asked(route.method, route.address({}))
        found = ROUTES.find(scope)
        assert found is not None, route
        assert (found.path, found) == (route.path, framework_finds(scope))


@given(st.sampled_from(METHODS), st.lists(st.sampled_from(WORDS), max_size=7))
def test_whatever_is_asked_leads_where_the_framework_leads(method: str, words: list[str]) -> None:
    scope = asked(method, f"/{'/'.join(words)}")
    assert ROUTES.find(dict(scope)) is framework_finds(scope)


def test_of_several_that_fit_the_first_is_taken() -> None:
    paths = ("/a/{x}", "/a/b", "/{x}/b", "/{rest:path}")
    routes = [PlainRoute(path, _nothing) for path in paths]
    for first in range(len(routes)):
        order = [*routes[first:], *routes[:first]]
        assert Routes(order).find(asked("GET", "/a/b")) is order[0]


def test_what_stands_in_the_path_is_told_as_the_framework_tells_it() -> None:
    route = PlainRoute("/a/{number:int}/{word}/{rest:path}", _nothing)
    scope = asked("GET", "/a/7/b c/d/e")
    assert Routes([route]).find(scope) is route
    assert scope["path_params"] == {"number": 7, "word": "b c", "rest": "d/e"}
    assert (scope["route"], scope["endpoint"]) == (route, _nothing)


def test_all_that_people_and_programs_ask_for_goes_past_the_framework() -> None:
    others = [route for route in APP.routes if not isinstance(route, HandlerRoute)]
    assert [route.path for route in others if isinstance(route, PlainRoute)] == [
        "/api/v1/openapi.json",
        "/t/{urlId}",
    ]


def asked(method: str, path: str) -> Scope:
    return {"type": "http", "method": method, "path": path, "root_path": "", "headers": []}


def framework_finds(scope: Scope) -> BaseRoute | None:
    return next((each for each in APP.routes if each.matches(scope)[0] is Match.FULL), None)


async def _nothing() -> None: ...
