"""Sentences remember what they were made of."""

from gettext import NullTranslations

import msgspec
import pytest

from homeshelf.errors import Forbidden, HomeshelfError, LastAdmin
from homeshelf.sentences import Sentence, _, ngettext, said


class Mirrored(NullTranslations):
    """A language that says every sentence backwards, and what stands in braces as it is."""

    def gettext(self, message: str) -> str:
        return " ".join(reversed(message.split()))

    def ngettext(self, one: str, several: str, count: int) -> str:
        return self.gettext(one if count == 1 else several)


ELSEWHERE = Mirrored()


def test_a_sentence_is_english_text_as_it_is() -> None:
    made = _("You are the last admin of {family}.", family="Lovelace")
    assert made == "You are the last admin of Lovelace."
    assert said(made) == made
    assert msgspec.json.encode({"detail": said(made)}) == (
        b'{"detail":"You are the last admin of Lovelace."}'
    )


def test_it_is_said_anew_in_another_language() -> None:
    made = _("You are the last admin of {family}.", family="Lovelace")
    assert said(made, ELSEWHERE) == "Lovelace. of admin last the are You"


def test_what_a_person_wrote_is_nobody_elses_sentence() -> None:
    assert said("You are the last", ELSEWHERE) == "You are the last"
    assert _("Only {name} may.", name="{count} {x}") == "Only {count} {x} may."
    assert _("As {it} is") == "As {it} is"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 tags"), (1, "1 tag"), (2, "2 tags"), (1234, "1,234 tags")]
)
def test_one_and_several_are_told_apart(count: int, text: str) -> None:
    made = ngettext("{count} tag", "{count} tags", count)
    assert made == text
    assert said(made, ELSEWHERE) == " ".join(reversed(text.split()))


def test_a_sentence_within_a_sentence_is_said_too() -> None:
    made = _("{tags} of it", tags=ngettext("{count} tag", "{count} tags", 3))
    assert made == "3 tags of it"
    assert said(made, ELSEWHERE) == "it of tags 3"


def test_an_error_carries_its_sentence() -> None:
    for error in (HomeshelfError(), Forbidden(), LastAdmin(detail=_("No, {name}.", name="Ada"))):
        assert isinstance(error.detail, Sentence), error
        assert said(error.detail, ELSEWHERE) != error.detail
