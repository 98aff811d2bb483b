"""The catalogues have every sentence that the code says, and no others: said in each language, with
the values, the markup and the plurals that belong to it."""

import re
from collections import Counter
from collections.abc import Iterator
from gettext import c2py
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog, Message

from homeshelf.languages import ENGLISH, LANGUAGES
from scripts import catalogues

CATALOGUES = catalogues.catalogues()
PERCENT, BRACE, TAG = (
    re.compile(r"%\((\w+)\)s"),
    re.compile(r"\{(\w+)\}"),
    re.compile(r"</?\w[^>]*>"),
)

of_each = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)


def test_template_has_every_message_of_the_code() -> None:
    shown = catalogues.serialize(catalogues.template())
    assert catalogues.TEMPLATE.read_text() == shown, "run `make fix`"


def test_each_language_has_a_catalogue() -> None:
    assert {path.stem for path in CATALOGUES} == LANGUAGES.keys() - {ENGLISH.code}


@of_each
def test_catalogue_has_the_messages_of_the_template(path: Path) -> None:
    updated = catalogues.update(path, catalogues.read(catalogues.TEMPLATE))
    assert path.read_text() == catalogues.serialize(updated), "run `make fix`"


@of_each
def test_every_message_is_translated(path: Path) -> None:
    assert [message.id for message in sentences(path) if not all(forms(message))] == []


@of_each
def test_no_translation_is_fuzzy(path: Path) -> None:
    """A guess of a tool is no translation."""
    assert [message.id for message in sentences(path) if message.fuzzy] == []


@of_each
def test_translation_keeps_values_and_markup(path: Path) -> None:
    wrong = {said: faults for message in sentences(path) for said, faults in faulty(message)}
    assert wrong == {}


@of_each
def test_translation_has_plural_forms_of_its_language(path: Path) -> None:
    """Numbers that the catalogue puts together are together in the language too."""
    catalog, category = catalogues.read(path), Locale.parse(path.stem).plural_form
    form = c2py(catalog.plural_expr)
    found = {(form(number), category(number)) for number in range(1_000)}
    assert {number for number, _name in found} == set(range(catalog.num_plurals))
    assert len(found) == len({name for _number, name in found}) == catalog.num_plurals
    for message in sentences(path):
        assert isinstance(message.id, str) or len(forms(message)) == catalog.num_plurals


def sentences(path: Path) -> list[Message]:
    catalog: Catalog = catalogues.read(path)
    return [message for message in catalog if message.id]


def forms(message: Message) -> list[str]:
    """Return the forms of a message: one, or one for each plural."""
    said = message.string or ""
    return [said] if isinstance(said, str) else list(said)


def faulty(message: Message) -> Iterator[tuple[str, str]]:
    """Yield each faulty translation with its fault."""
    asked = [message.id] if isinstance(message.id, str) else list(message.id)
    for text in filter(None, forms(message)):
        if fault := _fault(asked, text):
            yield text, fault


def _fault(asked: list[str], said: str) -> str:
    is_percent = any("%" in each for each in asked)
    pattern = PERCENT if is_percent else BRACE
    wanted = set(pattern.findall("".join(asked)))
    names = Counter(pattern.findall(said))
    if names.keys() - wanted:
        return f"there is no {', '.join(names.keys() - wanted)}"
    # A plural form may spell out its number.
    if len(wanted - names.keys()) > (len(asked) - 1):
        return f"without {', '.join(wanted - names.keys())}"
    bare = pattern.sub("", said)
    if re.search("[{}]", bare) or (is_percent and "%" in bare.replace("%%", "")):
        return "half a value"
    if Counter(TAG.findall(asked[-1])) != Counter(TAG.findall(said)):
        return "another markup"
    if said != said.strip():
        return "space around it"
    return ""


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("{name} is back.", "{namn} är tillbaka."),
        ("{name} is back.", "Tillbaka."),
        ("%(name)s is back.", "%(name)d är tillbaka."),
        ("%(name)s is back.", "%(name)s är 100 % tillbaka."),
        ("%(name)s is back.", "{name} är tillbaka."),
        ("{a}, {b}", "{a}, {b}, {"),
        ("<b>Yes</b>", "Ja"),
        ('<a href="/s">Yes</a>', '<a href="/">Ja</a>'),
        ("Yes", "Ja "),
        (("{count} tag of {name}", "{count} tags of {name}"), ("en", "{count} av {name}")),
        (("%(num)s tag", "%(num)s tags"), ("en", "%(number)s")),
    ],
)
def test_faulty_translation_is_detected(
    asked: str | tuple[str, str], said: str | tuple[str, str]
) -> None:
    assert list(faulty(Message(asked, said)))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("{name} is back.", "Tillbaka är {name}."),
        ("%(name)s, 100%%", "100%%, %(name)s"),
        ("<b>Yes</b>", "<b>Ja</b>"),
        (
            ("{count} tag of {name}", "{count} tags of {name}"),
            ("en av {name}", "{count} av {name}"),
        ),
        ("Yes", ""),
    ],
)
def test_correct_translation_passes(
    asked: str | tuple[str, str], said: str | tuple[str, str]
) -> None:
    assert not list(faulty(Message(asked, said)))
