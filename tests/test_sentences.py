"""Test translatable sentences and their values."""

import ast
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from gettext import NullTranslations
from pathlib import Path

import pytest
from markupsafe import Markup, escape

from homeshelf import sentences
from homeshelf.errors import Forbidden, HomeshelfError, LastAdmin
from homeshelf.languages import ENGLISH, LANGUAGES, use_language
from homeshelf.sentences import Sentence, _, ngettext, translate
from homeshelf.web.json import encode


class Mirrored(NullTranslations):
    """A language that reverses every sentence except for its placeholders."""

    def gettext(self, message: str) -> str:
        return " ".join(reversed(message.split()))

    def ngettext(self, one: str, several: str, count: int) -> str:
        return self.gettext(one if count == 1 else several)


ELSEWHERE = LANGUAGES["de"]


@pytest.fixture(autouse=True)
def mirrored(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogues = {ENGLISH.code: NullTranslations(), ELSEWHERE.code: Mirrored()}
    monkeypatch.setattr(sentences, "catalogue_of", catalogues.__getitem__)


def test_sentence_is_english_by_default() -> None:
    made = _("You are the last parent in {family}.", family="Lovelace")
    assert made == "You are the last parent in Lovelace."
    assert translate(made) == made
    assert encode({"detail": made}) == b'{"detail":"You are the last parent in Lovelace."}'


def test_sentence_is_translated_later() -> None:
    made = _("You are the last parent in {family}.", family="Lovelace")
    assert translate(made, ELSEWHERE) == "Lovelace. in parent last the are You"


def test_user_text_is_not_translated() -> None:
    assert translate("You are the last", ELSEWHERE) == "You are the last"
    assert _("Only {name} may.", name="{count} {x}") == "Only {count} {x} may."
    assert _("As {it} is") == "As {it} is"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 tags"), (1, "1 tag"), (2, "2 tags"), (1234, "1,234 tags")]
)
def test_plural_forms_are_distinguished(count: int, text: str) -> None:
    made = ngettext("{count} tag", "{count} tags", count)
    assert made == text
    assert translate(made, ELSEWHERE) == " ".join(reversed(text.replace(",", ".").split()))


def test_nested_sentence_is_translated() -> None:
    made = _("{tags} of it", tags=ngettext("{count} tag", "{count} tags", 3))
    assert made == "3 tags of it"
    assert translate(made, ELSEWHERE) == "it of tags 3"


def test_numbers_and_dates_are_formatted_by_language() -> None:
    made = _("{most} until {day}", most=Decimal("1234.5"), day=date(2026, 5, 3))
    assert made == "1,234.5 until 3 May 2026"
    assert translate(made, ELSEWHERE) == "3. Mai 2026 until 1.234,5"


def test_user_text_is_isolated_in_right_to_left_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sentences, "catalogue_of", lambda _code: NullTranslations())
    made = _("{name} has {count}.", name="Ada", count=3)
    assert translate(made, LANGUAGES["ar"]) == "\u2068Ada\u2069 has 3."


def test_page_and_json_use_the_readers_language() -> None:
    made = _("Only {name} may.", name="<Ada>")
    with use_language(ELSEWHERE):
        assert escape(made) == "may. &lt;Ada&gt; Only"
        assert Markup("<b>{}</b>").format(made) == "<b>may. &lt;Ada&gt; Only</b>"
        assert encode([made]) == b'["may. <Ada> Only"]'
    assert escape(made) == "Only &lt;Ada&gt; may."


def test_error_has_its_sentence() -> None:
    for error in (HomeshelfError(), Forbidden(), LastAdmin(detail=_("No, {name}.", name="Ada"))):
        assert isinstance(error.detail, Sentence), error
        assert translate(error.detail, ELSEWHERE) != error.detail


PACKAGE = Path(__file__).parents[1] / "homeshelf"
FOR_OPERATORS = {
    "cli",
    "commands",
    "config",
    "coordination",
    "demo",
    "live",
    "moving",
    "serving",
    "table",
}
FOR_PROGRAMS = {
    "adopting.py",
    "belongings.py",
    "moving.py",
    "design.py",
    "installable.py",
    "health.py",
    "openapi.py",
}
SENTENCE = re.compile(r"[A-Z“{].* .*[.?!]”?|[A-Z][a-z]+[.?!]", re.DOTALL)
MARKS = {"_", "ngettext", "CannotOpen", "warning", "info", "error", "compile"}


def unmarked(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in MARKS:
            return
        case ast.Expr(value=ast.Constant()) | ast.keyword(arg="left_out"):
            return
        case ast.Constant(value=str(text)):
            if SENTENCE.fullmatch(text) and not {"<", "`"} & set(text):
                yield text
            return
        case ast.JoinedStr(values=parts):
            text = "".join(str(p.value) if isinstance(p, ast.Constant) else "{x}" for p in parts)
            if SENTENCE.fullmatch(text) and not {"<", "`"} & set(text):
                yield text
            return
    for child in ast.iter_child_nodes(node):
        yield from unmarked(child)


def test_every_sentence_uses_gettext() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in PACKAGE.glob("*/**/*.py")
        if path.relative_to(PACKAGE).parts[0] not in FOR_OPERATORS and path.name not in FOR_PROGRAMS
        for text in unmarked(ast.parse(path.read_text()))
    }
    assert found == set()


def test_sentence_without_gettext_is_found() -> None:
    assert list(unmarked(ast.parse('raise NotFound("There is no such thing.")')))
    assert list(unmarked(ast.parse('wrong = f"{name} is not here."')))
    assert list(unmarked(ast.parse('SAID = {"saved": "Saved."}')))
    assert not list(unmarked(ast.parse('raise NotFound(_("There is no such thing."))')))
