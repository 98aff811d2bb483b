"""The figures of `docs/performance.md`, by part and name, in seconds, bytes and units."""

import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
SCALES = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "kB": 1e3, "MB": 1e6, "": 1.0}

Figures = Mapping[str, Mapping[str, float]]


def read(page: Path = PAGE) -> Figures:
    """Return the figures that are a number with one of these units."""
    sections = re.split(r"^### ", page.read_text(), flags=re.MULTILINE)[1:]
    return {
        section.partition("\n")[0]: {
            what: float(number.replace(",", "")) * SCALES[scale]
            for what, number, scale in re.findall(
                r"^\| (.+?) \| ([\d.,]+) ?(us|ms|s|kB|MB|) \|", section, re.MULTILINE
            )
        }
        for section in sections
    }
