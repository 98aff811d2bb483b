"""Pages can be mirrored for right-to-left languages, because sheets use logical directions."""

import re
from pathlib import Path

import pytest

import homeshelf
from homeshelf.languages import LANGUAGES
from homeshelf.web.assets import static_files
from homeshelf.web.drawings import icon

SHEETS = [path for path in static_files().values() if path.suffix == ".css"]
PHYSICAL = re.compile(
    r"\b(?:(?:margin|padding|border|inset|scroll-margin|scroll-padding)-(?:left|right)"
    r"|border-(?:top|bottom)-(?:left|right)-radius"
    r"|(?<![-\w])(?:left|right)|(?:float|clear|text-align)\s*:\s*(?:left|right))\s*[:;]"
)
FOUR = re.compile(r"(margin|padding|inset|border-radius)\s*:\s*([^;]+);")
SAFE_AREA = "safe-area-inset"
"""The insets of a phone's notch, which are physical in every language."""


def physical(sheet: str) -> list[str]:
    """Return the physical directions in a sheet, which would not be mirrored."""
    plain = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    found = [match.group() for match in PHYSICAL.finditer(plain)]
    for name, values in FOUR.findall(plain):
        four = re.findall(r"(?:[\w-]*\((?:[^()]|\([^()]*\))*\)|[^\s()])+", values)
        if len(four) != 4 or SAFE_AREA in values:
            continue
        of_corners = four[0] == four[1] and four[2] == four[3]
        if not (of_corners if name == "border-radius" else four[1] == four[3]):
            found.append(values)
    return found


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_sheets_use_no_physical_directions(path: Path) -> None:
    assert physical(path.read_text()) == []


@pytest.mark.parametrize(
    "sheet",
    [
        "a { margin-left: 1px; }",
        "a { left: 0; }",
        "a { text-align: right; }",
        "a { border-top-left-radius: 0; }",
        "a { padding: 1px 2px 3px 4px; }",
        "a { padding: var(--s1) calc(1px + 2px) 0 0; }",
        "a { border-radius: 1px 2px 2px 1px; }",
    ],
)
def test_physical_direction_is_found(sheet: str) -> None:
    assert physical(sheet)


@pytest.mark.parametrize(
    "sheet",
    [
        "a { margin-inline-start: 1px; inset: 0 1px; }",
        "a { padding: 1px 2px 3px 2px; text-align: start; }",
        "a { border-radius: 1px 1px 0 0; }",
        "a { background-position: left 1rem center; }",
    ],
)
def test_logical_direction_is_accepted(sheet: str) -> None:
    assert not physical(sheet)


def test_only_pointing_icons_are_mirrored() -> None:
    assert 'class="points"' in icon("chevron-right")
    assert 'class="points"' not in icon("plus")


def test_address_fields_are_left_to_right() -> None:
    """A field that is too short for an address shows its beginning, in every language."""
    package = Path(homeshelf.__file__).parent
    fields = [
        field
        for path in package.rglob("templates/*.html")
        for field in re.findall(r'<input class="input code"[^>]*>', path.read_text())
    ]
    assert len(fields) == 4
    assert [field for field in fields if 'dir="ltr"' not in field] == []


def test_pages_in_right_to_left_languages_declare_the_direction() -> None:
    assert [each.code for each in LANGUAGES.values() if each.is_rtl] == ["ar"]
