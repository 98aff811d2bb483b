"""Run the named parts of the benchmarks, or all of them: `python -m bench [PART...]`.

The exit code is 1 if a figure missed its limit or could not be measured, and 2 if a part is
unknown.
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
MAX_SECONDS = 20 * 60 - 30
"""The time limit for all parts together; the rest is for the report. Each part has its own limit
too."""


def main(arguments: Sequence[str], suite: Mapping[str, AnyPart] = SUITE) -> int:
    options = _parse_arguments(arguments)
    if unknown := set(options.parts) - suite.keys():
        print(f"There is no {', '.join(sorted(unknown))}; there is {', '.join(suite)}.")
        return 2
    if options.write_docs and not options.parts:
        return _write_docs(options.results, suite)
    chosen = {name: part for name, part in suite.items() if name in (options.parts or suite)}
    screen = Screen()
    found: dict[str, Result] = {}
    deadline = monotonic() + options.seconds
    for name, part in chosen.items():
        limited = replace(part, seconds=min(part.seconds, max(0.0, deadline - monotonic())))
        screen.begin(name, limited)
        found[name] = _run_part(limited, options.seed, screen, tiny=options.tiny)
        screen.end(name, found[name])
    if not options.tiny:
        screen.sum_up(found)
        results.save(options.results, found, options.seed)
        print(f"Figures and charts are in {options.results}.")
    if options.write_docs:
        _write_docs(options.results, suite)
    return _exit_code(found, tiny=options.tiny)


def _parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="What Homeshelf costs.")
    parser.add_argument("parts", nargs="*", help="all of them unless named")
    parser.add_argument("--seed", type=int, default=SEED, help="for what is chosen at random")
    parser.add_argument("--results", type=Path, default=results.FOLDER, help="a folder")
    parser.add_argument("--tiny", action="store_true", help="shows that it runs, and keeps nothing")
    parser.add_argument("--seconds", type=float, default=MAX_SECONDS, help="for all of it")
    parser.add_argument(
        "--write-docs",
        action="store_true",
        help="write what was kept to docs/performance.md; measures only the parts that are named",
    )
    return parser.parse_args(arguments)


def _run_part(part: AnyPart, seed: int, screen: Screen, *, tiny: bool) -> Result:
    if part.seconds <= 0:
        return Result(part.figures, failed="no time was left for it")
    result, started_at = Result(part.figures), monotonic()

    def on_event(event: Event | None) -> None:
        match event:
            case Measured():
                result.found[event.figure.what] = event
            case Failed(why):
                result.failed = why
            case None | Step():
                pass
            case chart:
                result.charts.append(chart)
        screen.show_event(event)

    running.run(part, seed, on_event, tiny=tiny)
    result.seconds = monotonic() - started_at
    return result


def _write_docs(folder: Path, suite: Mapping[str, AnyPart]) -> int:
    stored = results.load(folder) if (folder / results.FILE).exists() else {}
    page.write(suite, stored)
    if stored.get("parts", {}).keys() >= suite.keys():
        costs.write()
    return 0


def _exit_code(found: Mapping[str, Result], *, tiny: bool) -> int:
    """Return 1 if a limit was missed; a tiny run only fails if a figure is missing."""
    bad = {"failed"} if tiny else {"failed", "MISSED"}
    verdicts = {each.verdict for result in found.values() for each in result.measured}
    return 1 if verdicts & bad or any(result.failed for result in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
