"""People's own words, such as names, as a mail may say them.

Mail programs make a link of whatever looks like an address. So a zero width non-joiner, which
nobody sees, stands inside each of those: in `evil.example` before the dot, in `https://` before
the colon. Browsers drop the other invisible characters from a domain; one with this they refuse.
"""

import re
import unicodedata

BREAK = "\N{ZERO WIDTH NON-JOINER}"


def harmless(text: str) -> str:
    """On one line, without what cannot be seen, and without links."""
    line = " ".join("".join(map(_seen, text)).split())
    return _LINKED.sub(BREAK, _NEEDLESS_JOINERS.sub("", line))


def _seen(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return "" if unicodedata.category(character) in ("Cf", "Cs") else " "


_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_NEEDLESS_JOINERS = re.compile(rf"(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")
"""Persian words and the emoji of families need theirs; next to ASCII they only hide things."""
_DOTS = ".\u2024\u3002\uff0e\uff61"
"""All that browsers take for the dot of a domain."""
_ENCLOSED = "\u2460-\u24ff\U0001f100-\U0001f1ff"
"""Letters in circles and squares, which browsers take for letters."""
_LINKED = re.compile(
    rf"(?<=[^\s{_DOTS}])(?=[{_DOTS}][{_JOINERS}]*(?:[^\W\d_][\w-]|[{_ENCLOSED}]))"  # evil.example
    r"|(?<=\S)(?=@\S)"  # eve@evil
    r"|(?<=[A-Za-z])(?=:[^\s:])"  # https://evil, mailto:eve
    r"|(?<=/)(?=/\S)|(?<=\\)(?=\\\S)"  # //evil, \\evil\share
)
"""Neither the dot of `2.5kg` nor those of `J.R.R. Tolkien`: no domain ends like that."""
