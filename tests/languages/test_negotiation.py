"""Parsing of the `Accept-Language` header."""

import pytest

from homeshelf.languages import LONGEST_HEADER, best_language, requested_language


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("de", "de"),
        ("de-DE,de;q=0.9,en;q=0.8", "de"),
        ("DE-at", "de"),
        ("ar-EG", "ar"),
        ("zh-TW, fr;q=0.4, sv;q=0.7", "sv"),
        ("sv;q=0.7,fr;q=0.7", "sv"),
        (" es ; q=0.5 , en;q=0.1", "es"),
        ("en;q=0.2, de;q=1.0", "de"),
        ("tlh, de;q=0.001", "de"),
    ],
)
def test_supported_language_with_the_highest_weight_wins(header: str, code: str) -> None:
    found = best_language(header)
    assert found is not None
    assert found.code == code


@pytest.mark.parametrize(
    "header",
    ["", "*", "zh", "*, de;q=0.5", "de;q=0", "de;q=0.0", "de;q=much", "de;level=1", ",;,", "d",
     "deu", "de;q=-1", "de;q=2", "de;q=nan"],
)  # fmt: skip
def test_unsupported_languages_select_none(header: str) -> None:
    assert best_language(header) is None


def test_header_lines_are_joined_and_cut_at_the_maximum() -> None:
    lines = [(b"accept-language", b"zh"), (b"host", b"sv"), (b"accept-language", b"de;q=0.3")]
    found = requested_language(lines)
    assert found is not None
    assert found.code == "de"
    assert requested_language([(b"accept-language", b"zh," * LONGEST_HEADER + b"de")]) is None
    assert requested_language([(b"accept-language", b"\xff\xfe, de")]) is not None
    assert requested_language([(b"host", b"de")]) is None
