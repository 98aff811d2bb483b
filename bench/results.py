"""Stored results: the figures of each part as JSON, and a chart of each."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import apsw

from bench.charts import Chart, Rows, draw
from bench.figures import Figure, Measured, format_ratio, format_value
from homeshelf import clock

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "bench" / "results"
FILE = "figures.json"


@dataclass
class Result:
    """The result of one part."""

    figures: Sequence[Figure]
    """The figures that the part should measure."""
    found: dict[str, Measured] = field(default_factory=dict)
    charts: list[Chart] = field(default_factory=list)
    failed: str = ""
    seconds: float = 0.0

    @property
    def measured(self) -> list[Measured]:
        return [self.found.get(each.what, Measured(each, None)) for each in self.figures]


def save(folder: Path, results: Mapping[str, Result], seed: int) -> None:
    """Save the results beside those of an earlier run on the same machine."""
    folder.mkdir(parents=True, exist_ok=True)
    path, machine = folder / FILE, this_machine()
    stored = load(folder) if path.exists() else {}
    parts = stored.get("parts", {}) if stored.get("machine") == machine else {}
    run = {"date": clock.timestamp(), "commit": commit(), "seed": seed}
    for name, result in results.items():
        parts[name] = run | _as_json(result)
        (folder / f"{name}.svg").write_text(draw(_chart_of_ratios(name, result)))
        for chart in result.charts:
            (folder / f"{name}-{chart.name}.svg").write_text(draw(chart))
    whole = run | {"machine": machine, "parts": parts}
    path.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")


def load(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / FILE).read_text())
    return found


def this_machine() -> dict[str, Any]:
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
    }


def commit() -> str:
    """Return the commit, with a plus if the tree has uncommitted changes."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _as_json(result: Result) -> dict[str, Any]:
    return {
        "seconds": round(result.seconds, 1),
        "failed": result.failed or None,
        "figures": [_figure(each) for each in result.measured],
        "charts": [asdict(chart) for chart in result.charts],
    }


def _figure(measured: Measured) -> dict[str, Any]:
    figure = measured.figure
    return {
        "what": figure.what,
        "kind": figure.kind,
        "value": measured.value,
        "beside": measured.beside,
        "ratio": measured.ratio,
        "bar": figure.at_most,
        "of": figure.of,
        "met": measured.met,
        "verdict": measured.verdict,
    }


def _chart_of_ratios(name: str, result: Result) -> Rows:
    """Return each figure as a fraction of its limit, a common scale for all kinds."""
    rows = []
    for each in result.measured:
        if each.figure.at_most is None or each.limited_value is None:
            continue
        bar = each.figure.at_most
        share = each.limited_value / bar if bar else float(each.limited_value > 0) * 2
        is_ratio = each.figure.of == "ratio"
        text = (
            format_ratio(each.limited_value)
            if is_ratio
            else format_value(each.limited_value, each.figure.kind)
        )
        rows.append((each.figure.what, min(share, 3.0), 1.0, f"{text} of {each.figure.bar}"))
    return Rows(name, f"{name}: the figures beside their bars", rows)
