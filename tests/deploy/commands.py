"""Programs: those that read what is in `deploy/`, and those that it starts."""

import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from tests.test_commands import all_commands


def can_be_typed(command: Sequence[str]) -> bool:
    """`homeshelf serve --port 8000`: there is such a command, and it has these options."""
    program, verb, *words = command
    found = dict(all_commands()).get(f"{program.rpartition('/')[2]} {verb}")
    options = {option for each in found.params for option in each.opts} if found else set()
    return found is not None and {word for word in words if word.startswith("--")} <= options


def said_by(linter: str, *arguments: str) -> tuple[int, str]:
    """How a program ends that is installed beside the tests, and what it has to say."""
    program = Path(sysconfig.get_path("scripts")) / linter
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
