"""Makes a program cheap where no test is about what it costs: hashing passwords, and live updates.

python -m tests.quick_program python -m homeshelf serve --workers 2

runs a command that way. It loads nothing that counts requests: several processes count together
only if that is loaded after they know where.
"""

import runpy
import sys
from collections.abc import Callable
from typing import Any

from argon2 import PasswordHasher

from homeshelf.accounts import passwords
from homeshelf.live import hub

SetAttribute = Callable[[Any, str, Any], None]
MEMORY_KIB, TIMES = 8, 1
POLL_SECONDS = 0.1


def hash_quickly(set_attribute: SetAttribute = setattr) -> None:
    set_attribute(passwords, "MEMORY_KIB", MEMORY_KIB)
    set_attribute(passwords, "TIMES", TIMES)
    quick = PasswordHasher(time_cost=TIMES, memory_cost=MEMORY_KIB, parallelism=1)
    set_attribute(passwords, "_hasher", quick)


def poll_quickly(set_attribute: SetAttribute = setattr) -> None:
    set_attribute(hub, "ASK_SECONDS", POLL_SECONDS)


def main(_python: str, _m: str, module: str, *arguments: str) -> None:
    hash_quickly()
    poll_quickly()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
