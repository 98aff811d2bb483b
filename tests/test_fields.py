"""Test that browsers and server have the same limits, on every page."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import homeshelf
from homeshelf.app import create_app
from homeshelf.shopping.bodies import SeenEntry
from homeshelf.web.body import LONGEST_SEARCH, Body
from tests.home import Home
from tests.routes import every_route
from tests.running import SETTINGS, Person

TEMPLATES = sorted(Path(homeshelf.__file__).parent.rglob("templates/**/*.html"))
A_NUMBER = re.compile(r"\b(?:maxlength|minlength|min|max)=\"?[0-9]")
LIMITS = ("minlength", "maxlength", "min", "max")
TYPED = ("text", "search", "email", "password", "number")
OTHERWISE = {"away": "quantity"}
"""Fields that a script sends under another name, because its sheet asks for two numbers."""
ONLY_AN_END = re.compile(
    r"^[A-Z][^@,]* (?:must be [\d,]+ characters or less|has at most [\d,]+ characters)"
    r"|^Use at most [\d,]+ characters for"
)
NAMES = {"name", "title", "proposedItemName"}
UNLIMITED = {
    "items": "what is on a new list is limited line by line",
    "text": "what is pasted onto the list is not cut",
}

Asked = tuple[str, dict[str, int]]


def test_templates_contain_no_limits() -> None:
    assert len(TEMPLATES) > 40
    assert [str(path) for path in TEMPLATES if A_NUMBER.search(path.read_text())] == []


async def test_form_limits_match_server_limits(home: Home, kid: Person) -> None:
    ids = {name: await _made(home.admin, *what) for name, what in MADE.items()}
    await _made(kid, "suggestions", {"type": "create_item", "proposedItemName": "Tea"})
    pages = {
        route.address(ids)
        for route in every_route(create_app(SETTINGS))
        if route.is_page and route.method == "GET"
    }
    asked: list[Asked] = []
    for person in (home.admin, kid, home.running.visitor()):
        for address in sorted(pages):
            answer = await person.client.get(address, headers={"accept": "text/html"})
            assert answer.status_code < 500
            asked += _asked(answer.text)
    assert len({name for name, _ in asked}) > 25
    known = _known()
    assert [(name, found) for name, found in asked if not _is_known(name, found, known)] == []


@pytest.mark.parametrize(
    "unseen",
    ["\u200b", "\u2060 \ufeff", "\u3164", "\ufe0f", "\u202e", "\u2065", "\ufff0", "\U000e0fff"],
)
def test_invisible_name_is_refused_everywhere(unseen: str) -> None:
    found = 0
    for model in _models(Body):
        if model is SeenEntry:  # what a page showed is compared, not stored
            continue
        for field in model.model_fields.values():
            if field.alias in NAMES:
                found += 1
                kind: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
                with pytest.raises(ValidationError):
                    kind.validate_python(unseen)
    assert found > 20


def test_field_without_minimum_accepts_empty_value() -> None:
    found = set()
    for model in _models(Body):
        for field in model.model_fields.values():
            kind: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
            if ONLY_AN_END.search(_refusal(kind, "x" * 100_000)):
                found.add(field.alias)
                assert _refusal(kind, "") == "", (model, field.alias)
    assert {"unit", "notes", "note", "label", "description", "address", "boughtAt"} <= found


def _refusal(kind: TypeAdapter[Any], text: str) -> str:
    """Return the message for a refused text, or ""."""
    try:
        kind.validate_python(text)
    except ValidationError as error:
        return error.errors()[0]["msg"]
    return ""


MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "locationId": ("locations", {"name": "Pantry"}),
    "storeId": ("stores", {"name": "Market"}),
    "itemId": ("items", {"name": "Milk"}),
    "shoppingItemId": ("shopping-list", {"name": "Soap"}),
    "bookId": ("books", {"title": "Emma", "status": "READING"}),
    "shortId": ("shareables", {"name": "Trip", "items": [{"name": "Tent"}]}),
}


async def _made(person: Person, kind: str, asked: dict[str, Any]) -> str:
    """Create a record and return its id."""
    answer = await person.client.post(f"/api/v1/{kind}", json=asked)
    assert answer.status_code == 201
    return str(next(value for name, value in answer.json().items() if name.lower().endswith("id")))


def _known() -> dict[str, list[dict[str, int]]]:
    """Return the limits of each field name, in all models that accept it."""
    known: dict[str, list[dict[str, int]]] = {"q": [{"maxlength": LONGEST_SEARCH}]}
    for model in _models(Body):
        for field in model.model_fields.values():
            name = str(field.alias)
            known.setdefault(name, []).append(model.rule_of(name).attributes)
    return known


def _models(parent: type[Body]) -> Iterator[type[Body]]:
    for model in parent.__subclasses__():
        yield model
        yield from _models(model)


def _is_known(name: str, found: dict[str, int], known: dict[str, list[dict[str, int]]]) -> bool:
    name = OTHERWISE.get(name, name).rpartition(".")[2]  # of one entry among several
    if name == "page":  # a book's own last page comes before the last page that a book can have
        found = found | {"max": max(found["max"], known[name][0]["max"])}
    return bool(found or name in UNLIMITED) and found in known[name]


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Asked] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_typed = tag == "input" and given.get("type", "text") in TYPED
        sent_as = given.get("name")
        if (is_typed or tag == "textarea") and sent_as and "readonly" not in given:
            limits = {name: int(given[name] or "") for name in LIMITS if name in given}
            self.found.append((sent_as, limits))


def _asked(page: str) -> list[Asked]:
    fields = _Fields()
    fields.feed(page)
    return fields.found
