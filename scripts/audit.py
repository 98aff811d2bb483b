"""`python -m scripts.audit LOCK` fails if a locked version has a known vulnerability.

Without network it reports that and passes, because the rest of `make check` needs none; with
`--strict` it fails. Any other error fails.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

NO_CONNECTION = ("Could not connect", "timed out")
"""The messages of pip-audit if it has no connection."""


@dataclass(frozen=True)
class Verdict:
    sound: bool
    lines: list[str]


def main(lock: str, *options: str) -> int:
    verdict = judge(*_report(lock), strict="--strict" in options)
    sys.stderr.writelines(f"{line}\n" for line in verdict.lines)
    return 0 if verdict.sound else 1


def judge(report: dict[str, Any] | None, complaint: str = "", *, strict: bool = False) -> Verdict:
    """Return the verdict on pip-audit's report; a skipped package is no finding."""
    if report is None:
        if any(each in complaint for each in NO_CONNECTION):
            return _not_audited("No dependency", strict)
        return Verdict(False, [f"Dependencies not audited: {complaint or 'pip-audit is silent'}"])
    packages = report["dependencies"]
    if not packages:
        return Verdict(False, ["Dependencies not audited: there are none in the lock file."])
    asked = [package for package in packages if "skip_reason" not in package]
    found = [
        f"{package['name']} {package['version']}: {', '.join(_names(flaw))}; fixed in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for package in asked
        for flaw in package["vulns"]
    ]
    if not asked:
        return _not_audited(f"None of {len(packages)} dependencies", strict)
    if left := len(packages) - len(asked):
        found.append(f"{left} of {len(packages)} dependencies could not be audited.")
        return Verdict(len(found) == 1 and not strict, found)
    return Verdict(not found, found)


def _not_audited(which: str, strict: bool) -> Verdict:
    return Verdict(not strict, [f"{which} was audited: the vulnerability service is out of reach."])


def _report(lock: str) -> tuple[dict[str, Any] | None, str]:
    """Return pip-audit's report, or its error message."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", lock]
    options = ["--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(  # noqa: S603 - the command is ours
        [*command, *options, "--timeout", "10"], capture_output=True, text=True, check=False
    )
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return None, (done.stderr.strip().splitlines() or [""])[-1]
    return report, ""


def _names(flaw: dict[str, Any]) -> list[str]:
    return [flaw["id"], *flaw["aliases"]]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
