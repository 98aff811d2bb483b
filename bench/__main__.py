"""`python -m bench [PART...]`: runs the parts that are named, or all of them.

Ends with 1 where a figure missed its bar or could not be had, and with 2 where it was asked for
what there is not.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

from bench import page, results, running
from bench.figures import Measured
from bench.part import AnyPart, Event, Failed, Step
from bench.results import Result
from bench.screen import Screen
from bench.suite import SUITE
from scripts.aws import page as costs

SEED = 19
MOST_SECONDS = 20 * 60 - 30
"""The time limit for all parts together; the rest is for the report. Each part has its own limit
too."""


def main(arguments: Sequence[str], suite: Mapping[str, AnyPart] = SUITE) -> int:
    asked = _asked(arguments)
    if unknown := set(asked.parts) - suite.keys():
        print(f"There is no {', '.join(sorted(unknown))}; there is {', '.join(suite)}.")
        return 2
    if asked.write_docs and not asked.parts:
        return _write_docs(asked.results, suite)
    chosen = {name: part for name, part in suite.items() if name in (asked.parts or suite)}
    screen = Screen()
    found: dict[str, Result] = {}
    ends = monotonic() + asked.seconds
    for name, part in chosen.items():
        left = replace(part, seconds=min(part.seconds, max(0.0, ends - monotonic())))
        screen.begin(name, left)
        found[name] = _measured(left, asked.seed, screen, tiny=asked.tiny)
        screen.end(name, found[name])
    if not asked.tiny:
        screen.sum_up(found)
        results.save(asked.results, found, asked.seed)
        print(f"Figures and charts are in {asked.results}.")
    if asked.write_docs:
        _write_docs(asked.results, suite)
    return _exit_code(found, tiny=asked.tiny)


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="What Homeshelf costs.")
    parser.add_argument("parts", nargs="*", help="all of them unless named")
    parser.add_argument("--seed", type=int, default=SEED, help="for what is chosen at random")
    parser.add_argument("--results", type=Path, default=results.FOLDER, help="a folder")
    parser.add_argument("--tiny", action="store_true", help="shows that it runs, and keeps nothing")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="for all of it")
    parser.add_argument(
        "--write-docs",
        action="store_true",
        help="write what was kept to docs/performance.md; measures only the parts that are named",
    )
    return parser.parse_args(arguments)


def _measured(part: AnyPart, seed: int, screen: Screen, *, tiny: bool) -> Result:
    if part.seconds <= 0:
        return Result(part.figures, failed="no time was left for it")
    result, began = Result(part.figures), monotonic()

    def hear(event: Event | None) -> None:
        match event:
            case Measured():
                result.found[event.figure.what] = event
            case Failed(why):
                result.failed = why
            case None | Step():
                pass
            case chart:
                result.charts.append(chart)
        screen.hear(event)

    running.run(part, seed, hear, tiny=tiny)
    result.seconds = monotonic() - began
    return result


def _write_docs(folder: Path, suite: Mapping[str, AnyPart]) -> int:
    kept = results.load(folder) if (folder / results.FILE).exists() else {}
    page.write(suite, kept)
    if kept.get("parts", {}).keys() >= suite.keys():
        costs.write()
    return 0


def _exit_code(found: Mapping[str, Result], *, tiny: bool) -> int:
    """Return 1 if a bar was missed; the speed of a tiny run says nothing."""
    bad = {"failed"} if tiny else {"failed", "MISSED"}
    verdicts = {each.verdict for result in found.values() for each in result.measured}
    return 1 if verdicts & bad or any(result.failed for result in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
