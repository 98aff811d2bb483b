"""Runs the command that follows with passwords at the least cost that argon2 can be asked for:

python -m tests.hashing_quickly python -m homeshelf serve --workers 2

It loads nothing of the program before that does, so that several processes count as they should.
"""

import runpy
import sys
from typing import Any

import argon2

LEAST: dict[str, Any] = {"time_cost": 1, "memory_cost": 8, "parallelism": 1}


class QuickHasher(argon2.PasswordHasher):
    def __init__(self, **_usual: int) -> None:
        super().__init__(**LEAST)


def main(_python: str, _m: str, module: str, *arguments: str) -> None:
    argon2.PasswordHasher = QuickHasher  # type: ignore[assignment, misc]  # what the program imports
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
