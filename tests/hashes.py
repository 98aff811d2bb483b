"""The same hashes of passwords as ever, at the least cost that argon2 can be asked for."""

from collections.abc import Callable
from typing import Any

from argon2 import PasswordHasher

from homeshelf.accounts import passwords

MEMORY_KIB, TIMES = 8, 1


def hash_quickly(set_attribute: Callable[[Any, str, Any], None] = setattr) -> None:
    set_attribute(passwords, "MEMORY_KIB", MEMORY_KIB)
    set_attribute(passwords, "TIMES", TIMES)
    quick = PasswordHasher(time_cost=TIMES, memory_cost=MEMORY_KIB, parallelism=1)
    set_attribute(passwords, "_hasher", quick)
