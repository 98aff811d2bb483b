"""The figures in `docs/performance.md`, generated from the stored results and the suite."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.figures import Figure, Measured, format_value
from bench.part import AnyPart
from bench.results import ROOT

PAGE = ROOT / "docs" / "performance.md"
HEADING = "## The figures\n"
HEAD = """\
| measurement | Homeshelf | reference | ratio | limit | |
| --- | --: | --: | --: | --: | --- |
"""


def write(suite: Mapping[str, AnyPart], kept: Mapping[str, Any], page: Path = PAGE) -> None:
    """Replace the figures below the handwritten text."""
    above, heading, _ = page.read_text().partition(HEADING)
    assert heading, f"{page} has no {HEADING.strip()!r}"
    page.write_text(above + heading + "\n" + "\n".join(_sections(suite, kept)))


def _sections(suite: Mapping[str, AnyPart], kept: Mapping[str, Any]) -> Iterator[str]:
    if kept:
        machine = kept["machine"]
        yield (
            f"Measured on {kept['date'][:10]} at commit `{kept['commit']}`, seed {kept['seed']}, "
            f"on {machine['cores']} cores of {machine['cpu']}, {machine['system']}, "
            f"Python {machine['python']}, SQLite {machine['sqlite']}. "
            "Parts with their own date were measured then.\n"
        )
        yield _summed_up(suite, kept)
    for name, part in suite.items():
        result = kept.get("parts", {}).get(name, {})
        measured = {each["what"]: each for each in result.get("figures", ())}
        rows = "\n".join(_row(figure, measured.get(figure.what, {})) for figure in part.figures)
        yield f"### {name}\n\n{part.about}{_when(result, kept)}\n\n{HEAD}{rows}\n"


def _summed_up(suite: Mapping[str, AnyPart], kept: Mapping[str, Any]) -> str:
    judged = [
        (f"{name}: {each['what']}", each["met"])
        for name in suite
        for each in kept["parts"].get(name, {}).get("figures", ())
        if each["met"] is not None
    ]
    missed = [what for what, met in judged if not met]
    told = f"{len(judged) - len(missed)} of {len(judged)} limits are met."
    return "\n".join(
        [told, *(["Exceeded:", ""] if missed else []), *(f"- {w}" for w in missed), ""]
    )


def _when(result: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
    if not result:
        return " Not measured here yet."
    if result["commit"] == kept["commit"] and result["date"][:10] == kept["date"][:10]:
        return ""
    return f" Measured on {result['date'][:10]} at commit `{result['commit']}`."


def _row(figure: Figure, found: Mapping[str, Any]) -> str:
    measured = Measured(figure, found.get("value"), found.get("beside"))
    cells = [figure.what]
    values = (measured.value, measured.beside)
    cells += ["" if value is None else format_value(value, figure.kind) for value in values]
    cells.append("" if measured.ratio is None else f"{measured.ratio:.2f}")
    verdict = measured.verdict if found else ""
    return f"| {' | '.join([*cells, figure.bar, verdict])} |"
