"""Hostile requests are answered in time and never cause a server error.

They carry deep and long JSON, odd numbers, lone surrogates, nonsense forms and queries, and odd
headers.
"""

import base64
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import httpx
import pytest

from homeshelf.app import create_app
from tests.cases import KINDS, seeded_random
from tests.forked_processes import served
from tests.one_of_each import Furnished, one_of_each
from tests.processes import Served
from tests.routes import Route, every_route
from tests.running import SETTINGS

NO_LIMITS = {
    f"HOMESHELF_LIMIT_{name}": "99999/s"
    for name in (
        *("WRITES", "SIGNUPS", "SIGNINS", "SIGNINS_ADDRESS", "LINKS", "UNKNOWN", "IMPORTS"),
        *("SHARE_WRITES", "SHARE_WRITES_LIST"),
    )
}


def _fields(route: Route) -> list[str]:
    """Return the fields of a route's body, including nested ones."""
    schema = route.schema or {}
    models = [schema, *schema.get("$defs", {}).values()]
    found = [name for model in models for name in model.get("properties", {})]
    return list(dict.fromkeys(found))[:25]


ROUTES = every_route(create_app(SETTINGS))
BODIES = [
    route for route in ROUTES if not route.is_page and "properties" in json.dumps(route.schema)
]
FORMS = [route for route in ROUTES if route.is_page and route.method == "POST"]
NAMING = [route for route in ROUTES if route.names and route.method in ("GET", "PATCH", "DELETE")]
ASKED = [route for route in ROUTES if route.asks and route.method == "GET"]
ENDING = ("sign-out", "delete", "remove", "leave", "forget", "rotate", "disable", "end")
"""The ends of paths of requests that delete something other requests need."""
DEEP = 20_000
"""A nesting depth far beyond that of any program."""
DEEP_INSIDE = 2000
SECONDS = 5.0
"""The time limit of a request on a busy machine, a hundred times the usual time."""

WHOLE = {
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "lists without an end": b"[" * DEEP,
    "many keys": json.dumps({f"k{n}": n for n in range(5000)}).encode(),
    "one key often": b"{" + b'"name":1,' * 5000 + b'"name":2}',
    "no object": b"true",
    "nothing": b"null",
    "a long text": b'"' + b"a" * 60_000 + b'"',
    "a long number": b"9" * 60_000,
    "no number": b"NaN",
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "a NUL": b'{"name"\0: 1}',
    "two values": b"{}{}",
    "a half letter for a name": b'{"\\ud800": 1}',
}
"""Bodies that replace the whole body."""
INSIDE = {
    "deep lists": b"[" * DEEP_INSIDE + b"]" * DEEP_INSIDE,
    "deep objects": b'{"a":' * DEEP_INSIDE + b"1" + b"}" * DEEP_INSIDE,
    "a very large number": b"1e999999",
    "a very small one": b"-1e-999999",
    "one beyond exponents": b"1e" + b"9" * 400,
    "a long number": b"9" * 5000,
    "many decimals": b"0." + b"1" * 5000,
    "another way to write 1": b"1.0",
    "a NUL": b'"a\\u0000b"',
    "half a letter": b'"\\ud800"',
    "a long text": b'"' + b"a" * 50_000 + b'"',
    "odd letters": json.dumps("".join(KINDS)).encode(),
    "a key of the table": b'"a#b#FAMILY#x"',
    "many of them": b"[" + b"1," * 20_000 + b"1]",
    "an object": b'{"a": {"b": [1]}}',
}
"""Values that replace each field."""
TYPED = {
    "long": "a" * 50_000,
    "NUL": "a%00b",
    "no UTF-8": "%FF%C0%AE",
    "half a letter": "%ED%A0%80",
    "brackets": "[a]" * 2000,
    "number": "9" * 5000,
    "exponent": "1e999999",
    "odd": quote("".join(KINDS)),
    "markup": quote("'\"><script>{{7*7}}${7*7}"),
    "key": quote("a#b#FAMILY#x"),
}
"""Values for form fields and query strings."""

FORM = {
    "no names": "=&=&" * 40,
    "no values": "a" * 60_000,
    "brackets in names": "a[b][c][d]=1&" * 90,
    "no letters": "\xff=\xff",
}
"""Bodies that replace a whole form."""
how_many = pytest.mark.parametrize(
    "number", [2, pytest.param(1000, marks=pytest.mark.torture)], ids=["some", "all"]
)
"""The number of random values per route: a few in `make test`, all in `make torture`."""


def _token(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


DEEP_TOKEN = ".".join((_token(b"[" * DEEP), _token(b'{"a":' * 5000), _token(b"x")))
HS256 = _token(b'{"alg":"HS256"}')
WITH_HEADERS = (
    ("GET", "/api/v1/items"),
    ("POST", "/api/v1/items"),
    ("POST", "/api/v1/tokens"),
    ("POST", "/api/v1/shareables"),
    ("POST", "/api/v1/invitations"),
    ("GET", "/api/v1/events"),
    ("GET", "/"),
    ("GET", "/sign-in"),
    ("POST", "/sign-in"),
    ("POST", "/families/new"),
    ("GET", "/list"),
    ("POST", "/stock/new"),
    ("GET", "/s/{shortId}"),
    ("GET", "/t/{urlId}"),
    ("GET", "/static/x/y"),
    ("GET", "/healthz"),
)
HEADERS: tuple[tuple[str, str], ...] = (
    *(
        ("authorization", f"Bearer {token}")
        for token in (DEEP_TOKEN, "..", "a" * 50_000, "\xff.\xff")
    ),
    ("authorization", f"Bearer {HS256}.{_token(b'[' * DEEP)}.{_token(b'x')}"),
    ("authorization", f"Bearer {_token(b'[1]')}.{_token(b'[1]')}.{_token(b'x')}"),
    ("authorization", "Bearer"),
    ("cookie", f"homeshelf={DEEP_TOKEN}; homeshelf-lists={DEEP_TOKEN}"),
    ("cookie", "homeshelf=" + "a" * 50_000),
    ("cookie", ";=;\xff=\xff;" * 2000 + 'homeshelf="\\377"'),
    ("accept-language", "de;q=1e999,*;q=nan," + ",".join(["x;q=."] * 5000)),
    ("content-type", "application/json; charset=utf-99"),
    ("content-type", "multipart/form-data; boundary=" + "a" * 5000),
    ("content-type", ";;;=\xff" * 500),
    ("content-encoding", "gzip"),
    ("host", "["),
    ("host", "[::1"),
    ("host", "home.test:port"),
    ("host", "a" * 5000),
    ("host", "\xff"),
    ("origin", "http://["),
    ("origin", "http://[::1"),
    ("origin", "\xff" * 100),
    ("origin", "a" * 50_000),
    ("sec-fetch-site", "\xff"),
    ("idempotency-key", "\xff" * 200),
    ("idempotency-key", ""),
    ("homeshelf-member", "a#b"),
    ("homeshelf-family", "a#b\xff"),
    ("last-event-id", "\xff" * 5000),
    ("last-event-id", "9" * 5000),
    ("if-none-match", '"' * 5000),
    ("range", "bytes=0-,1-,2-"),
    ("x-forwarded-for", "\xff," * 5000),
    ("x-forwarded-host", "["),
    ("x-forwarded-proto", "javascript"),
    ("forwarded", "for=" * 5000),
    ("user-agent", "\xff" * 500),
    ("accept", "text/html" * 1000),
    ("accept-encoding", "gzip;q=nan," * 1000),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(Path(tmp_path_factory.mktemp("hostile")), **NO_LIMITS) as homeshelf:
        yield homeshelf
        assert "unforeseen" not in homeshelf.log.read_text()


@pytest.fixture(scope="module")
def theirs(server: Served) -> Furnished:
    return one_of_each(server.url)


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        yield client


@how_many
@pytest.mark.parametrize("route", BODIES, ids=str)
def test_random_bodies_cause_no_server_error(
    client: httpx.Client, theirs: Furnished, route: Route, number: int
) -> None:
    for name, body in _some({**WHOLE, **dict(_with_odd_fields(route))}, number):
        status = _ask(client, theirs, route, {"content-type": "application/json"}, body)
        assert status < 500, name
        assert status >= 400 or "deep" not in name, name


@how_many
@pytest.mark.parametrize("route", FORMS, ids=str)
def test_random_forms_cause_no_server_error(
    server: Served, client: httpx.Client, theirs: Furnished, route: Route, number: int
) -> None:
    if route.path.rpartition("/")[2] in ENDING:
        theirs = one_of_each(server.url)
    kind = {"content-type": "application/x-www-form-urlencoded"}
    fields = sorted({name for each in BODIES for name in _fields(each)})
    forms = {
        name: "&".join(f"{field}={typed}" for field in fields) for name, typed in TYPED.items()
    }
    for name, form in _some(forms | FORM, number):
        assert _ask(client, theirs, route, kind, form.encode("latin-1")[:60_000]) < 500, name


@how_many
@pytest.mark.parametrize("route", ASKED, ids=str)
def test_random_queries_cause_no_server_error(
    client: httpx.Client, theirs: Furnished, route: Route, number: int
) -> None:
    for name, typed in _some(TYPED, number):
        question = "&".join(f"{asked}={typed[:5000]}" for asked in route.asks)
        assert _ask(client, theirs, route, {}, b"", f"?{question}") < 500, name


@how_many
def test_random_paths_cause_no_server_error(
    client: httpx.Client, theirs: Furnished, number: int
) -> None:
    for route in NAMING:
        for name, text in _some(TYPED, number):
            odd = Furnished(
                theirs.token, theirs.kids_token, dict.fromkeys(route.names, text[:5000])
            )
            assert _ask(client, odd, route, {}, b"{}") < 500, (str(route), name)


@how_many
@pytest.mark.parametrize("header", HEADERS, ids=lambda it: ascii(f"{it[0]}: {it[1][:12]}"))
def test_random_headers_cause_no_server_error(
    client: httpx.Client, theirs: Furnished, header: tuple[str, str], number: int
) -> None:
    paths = [(method, path.format(**theirs.ids)) for method, path in WITH_HEADERS]
    for method, path in seeded_random().sample(paths, min(3 * number, len(paths))):
        for who in ({}, {"authorization": f"Bearer {theirs.token}"}):
            sent = {"accept": "text/html", **who, **dict([header])}
            assert _status(client, method, path, sent, b"{}") < 500, (method, path)


Case = TypeVar("Case")


def _some(cases: Mapping[str, Case], number: int) -> list[tuple[str, Case]]:
    found = list(cases.items())
    return seeded_random().sample(found, min(number, len(found)))


def _with_odd_fields(route: Route) -> Iterator[tuple[str, bytes]]:
    """Yield the body with each of its fields replaced by an odd value."""
    fields = _fields(route)
    for name, value in INSIDE.items() if fields else ():
        pairs = (b'"' + field.encode() + b'":' + value for field in fields)
        yield f"{name} in every field", b"{" + b",".join(pairs) + b"}"


def _ask(
    client: httpx.Client,
    theirs: Furnished,
    route: Route,
    headers: Mapping[str, str],
    body: bytes,
    question: str = "",
) -> int:
    token = theirs.kids_token if route.access == "suggester" else theirs.token
    sent = {
        "sec-fetch-site": "same-origin",
        "accept": "text/html" if route.is_page else "application/json",
        "authorization": f"Bearer {token}",
        **headers,
    }
    return _status(client, route.method, route.address(theirs.ids) + question, sent, body)


def _status(
    client: httpx.Client, method: str, path: str, headers: Mapping[str, str], body: bytes
) -> int:
    """Return the status; for endless responses, the beginning is enough."""
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    began = time.monotonic()
    try:
        with client.stream(method, path, content=body, headers=raw) as answer:
            assert time.monotonic() - began < SECONDS
            return answer.status_code
    except httpx.RemoteProtocolError:
        return 400  # cut off
