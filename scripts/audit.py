"""`python -m scripts.audit LOCK` fails where a locked version has a known vulnerability."""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    sound: bool
    lines: list[str]


def main(lock: str) -> int:
    verdict = judge(_report(lock))
    sys.stderr.writelines(f"{line}\n" for line in verdict.lines)
    return 0 if verdict.sound else 1


def judge(report: dict[str, Any] | None) -> Verdict:
    """What pip-audit's report means; a package that nobody could be asked about is no finding."""
    packages = report["dependencies"] if report else []
    asked = [package for package in packages if "skip_reason" not in package]
    found = [
        f"{package['name']} {package['version']}: {', '.join(_names(flaw))}; fixed in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for package in asked
        for flaw in package["vulns"]
    ]
    if not asked:
        return Verdict(
            True, ["Dependencies not audited: the vulnerability service is unreachable."]
        )
    if left := len(packages) - len(asked):
        found.append(f"{left} of {len(packages)} dependencies could not be audited.")
        return Verdict(len(found) == 1, found)
    return Verdict(not found, found)


def _report(lock: str) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "pip_audit", "--requirement", lock]
    options = ["--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(  # noqa: S603 - the command is ours
        [*command, *options, "--timeout", "10"], capture_output=True, text=True, check=False
    )
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return None
    return report


def _names(flaw: dict[str, Any]) -> list[str]:
    return [flaw["id"], *flaw["aliases"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
