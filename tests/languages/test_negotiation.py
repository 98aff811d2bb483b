"""`Accept-Language`, as browsers and others write it."""

import pytest

from homeshelf.languages import LONGEST_HEADER, asked_for, wanted


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
def test_the_one_that_is_wanted_most_of_those_we_have(header: str, code: str) -> None:
    found = wanted(header)
    assert found is not None
    assert found.code == code


@pytest.mark.parametrize(
    "header",
    ["", "*", "zh", "*, de;q=0.5", "de;q=0", "de;q=0.0", "de;q=much", "de;level=1", ",;,", "d",
     "deu", "de;q=-1", "de;q=2", "de;q=nan"],
)  # fmt: skip
def test_any_will_do_where_none_of_ours_is_asked_for(header: str) -> None:
    assert wanted(header) is None


def test_lines_are_read_together_and_no_further_than_anybody_needs() -> None:
    lines = [(b"accept-language", b"zh"), (b"host", b"sv"), (b"accept-language", b"de;q=0.3")]
    found = asked_for(lines)
    assert found is not None
    assert found.code == "de"
    assert asked_for([(b"accept-language", b"zh," * LONGEST_HEADER + b"de")]) is None
    assert asked_for([(b"accept-language", b"\xff\xfe, de")]) is not None
    assert asked_for([(b"host", b"de")]) is None
