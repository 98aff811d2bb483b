"""Test that names in a mail are on one line and never a link."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from homeshelf.outbox.channels.mail.email import BREAK, defuse
from tests.outbox.mail import LOOKS_LINKED

letters = st.characters(categories=["L"])
words = st.one_of(
    st.text(letters, min_size=1, max_size=12),
    st.builds("{}.".format, st.text(letters, min_size=1, max_size=4)),
    st.builds("{}-{}".format, st.text(letters, min_size=1), st.text(letters, min_size=1)),
    st.builds("{}'{}".format, st.text(letters, min_size=1), st.text(letters, min_size=1)),
    st.builds("{}.{} {}".format, st.integers(0, 99), st.integers(0, 9), st.just("kg")),
    st.sampled_from(["&", "+", "(2)", "3.5%", "2.5kg", "J.R.R.", "10:30", "1/2", "#1", "@"]),
    st.sampled_from(["👨‍👩‍👧", "می‌خواهم"]),
)
ordinary_names = st.lists(words, min_size=1, max_size=5).map(" ".join)

addresses = st.sampled_from(
    [
        "evil.example",
        "www.evil.example/path?q=1",
        "https://evil.example",
        "HTTP://10.0.0.1/x",
        "javascript://x",
        "//evil.example",
        r"\\evil\share",
        "mailto:eve@evil.example",
        "eve@evil",
        "tel:+4912345",
        "evil\u3002example",
        "evil\uff0eexample",
        "пример.рф",
        "evil.xn--p1ai",
        "evil\u200b.example",
        "evil.\u200dexample",
        "evil\u2060.exa\u00admple",
    ]
)


@given(ordinary_names)
def test_ordinary_name_is_unchanged(name: str) -> None:
    assert defuse(name) == name


@given(st.lists(st.one_of(addresses, st.text(max_size=5)), max_size=6).map("".join))
@example("a.b.evil.example:8080/x")
def test_text_loses_links_and_nothing_else(text: str) -> None:
    said = defuse(text)
    assert not LOOKS_LINKED.search(said)
    seen = re.sub(r"[\s\u200c\u200d]", "", said)
    assert seen == "".join(c for c in text if c.isprintable() and not c.isspace())


@given(st.text())
def test_text_is_one_line_without_control_characters(text: str) -> None:
    said = defuse(text)
    assert said == " ".join(said.split())
    kinds = {unicodedata.category(c) for c in said if c not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert defuse(said) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("evil.example", f"evil{BREAK}.example"),
        ("https://evil.example", f"https{BREAK}:/{BREAK}/evil{BREAK}.example"),
        ("eve@evil", f"eve{BREAK}@evil"),
        ("Ada\r\nBcc: eve", "Ada Bcc: eve"),
        ("\u202eelgoog\u202c", "elgoog"),
        ("x...what", "x...what"),
    ],
)
def test_visible_text_is_unchanged(text: str, said: str) -> None:
    assert defuse(text) == said
