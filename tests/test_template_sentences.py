"""Test that all text in templates is translatable."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

import homeshelf

PACKAGE = Path(homeshelf.__file__).parent
TEMPLATES = sorted(
    path for ending in ("html", "svg", "txt") for path in PACKAGE.rglob(f"templates/**/*.{ending}")
)
SPOKEN = {"alt", "aria-description", "aria-label", "data-title", "label", "placeholder", "title"}
"""The attributes with text for people."""
NAMES = re.compile(r"\bHomeshelf\b|^homeshelf user reset-password$")
VALUE = "•"
"""The placeholder for values that are known only when the page is rendered."""
ENVIRONMENT = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])
ENVIRONMENT.newstyle_gettext = True  # type: ignore[attr-defined]  # the extension's


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(_ATTRIBUTES.sub("", data))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if values.get("name") == "description":
            self.found.append(values.get("content", ""))
        for name, value in values.items():
            if name in SPOKEN or (tag == "template" and name.startswith("data-")):
                self.found.append(value)


_ATTRIBUTES = re.compile(r'\s[a-z-]+="[^"]*"')


def unspoken(source: str) -> list[str]:
    tree = ENVIRONMENT.parse(source)
    reader = Reader()
    reader.feed("".join(_written(tree)))
    reader.close()
    found = [*reader.found, *(text for text in _handed(tree) if _SENTENCE.search(text))]
    bare = (NAMES.sub("", " ".join(text.split())) for text in found)
    return [text for text in bare if any(map(str.isalpha, text))]


_SENTENCE = re.compile(r"^[^\W\d_a-z]|[^\W\d_] [^\W\d_]")


def _written(node: nodes.Node) -> Iterator[str]:
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.TemplateData):
            yield child.data
        elif isinstance(node, nodes.Output):
            yield from _literals(child)
        elif not isinstance(child, nodes.Expr):
            yield from _written(child)


def _literals(shown: nodes.Node) -> Iterator[str]:
    if isinstance(shown, nodes.CondExpr):
        yield from _literals(shown.expr1)
        yield from _literals(shown.expr2) if shown.expr2 else ()
    elif isinstance(shown, nodes.Concat):
        for part in shown.nodes:
            yield from _literals(part)
    elif isinstance(shown, nodes.Const):
        yield str(shown.value)
    else:
        yield VALUE


def _handed(node: nodes.Node) -> Iterator[str]:
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Compare | nodes.Extends | nodes.Include | nodes.FromImport):
            continue
        if isinstance(child, nodes.Const) and isinstance(child.value, str):
            if not _is_message(node, child):
                yield child.value
        else:
            yield from _handed(child)


def _is_message(node: nodes.Node, child: nodes.Const) -> bool:
    if not isinstance(node, nodes.Call) or not isinstance(node.node, nodes.Name):
        return False
    how_many = {"_": 1, "gettext": 1, "ngettext": 2, "plural_forms": 2}.get(node.node.name, 0)
    return any(argument is child for argument in node.args[:how_many])


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_sentence_in_templates_uses_gettext(path: Path) -> None:
    assert unspoken(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello</p>",
        "<p>{{ name }} left</p>",
        "{% trans %}Bye{% endtrans %} you",
        "<p>{% if a %}{{ _('Yes') }}{% else %}no{% endif %}</p>",
        "{% for a in b %}{% macro m() %}so{% endmacro %}{% endfor %}",
        "{{ 'here' if a else _('There') }}",
        "{{ _('There') if a else 'here' }}",
        "{{ 'keep ' ~ name }}",
        "<img alt='A cat'>",
        "<button aria-label='Close {{ name }}'></button>",
        "<button aria-label=\"{{ 'more' if a else b }}\"></button>",
        "<input placeholder='find'>",
        "<meta name='description' content='Lists'>",
        "<template data-kept='kept'></template>",
        "{{ field(form, 'name', 'Name') }}",
        "{{ field(form, hint='what it is') }}",
        "{% set who = 'You' %}",
        "{{ _('%(who)s asks', who='Somebody') }}",
        "{{ count|many('more wish') }}",
        "{% call facts('Day') %}{% endcall %}",
    ],
)
def test_sentence_without_gettext_is_found(source: str) -> None:
    assert unspoken(source)


@pytest.mark.parametrize(
    "source",
    [
        "<title>{{ _('Stock') }} · Homeshelf</title>",
        "{% trans name=a %}<b>{{ name }}</b> asks{% endtrans %}",
        "{% trans count=a %}one{% pluralize %}{{ count }} of them{% endtrans %}",
        "{{ ngettext('%(num)s tag', '%(num)s tags', tags) }}",
        "{{ _('Yes') if a == 'Store' else _('No') }}",
        "<p role=\"{{ 'alert' if a else 'status' }}\">{{ name }}, {{ 5 }}</p>",
        "{{ field(form, 'name', _('Name'), type='text') }}",
        '{% macro m() %} aria-invalid="true"{% endmacro %}',
        "<output>{{ value }}½</output>",
        "{# A note #}{% from 'web/parts.html' import field %}",
    ],
)
def test_sentence_with_gettext_passes(source: str) -> None:
    assert unspoken(source) == []
