"""The same hashes of passwords as ever, at the least cost that argon2 can be asked for."""

import pytest
from argon2 import PasswordHasher

from homeshelf.accounts import passwords

MEMORY_KIB, TIMES = 8, 1


def hash_quickly(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(passwords, "MEMORY_KIB", MEMORY_KIB)
    patch.setattr(passwords, "TIMES", TIMES)
    quick = PasswordHasher(time_cost=TIMES, memory_cost=MEMORY_KIB, parallelism=1)
    patch.setattr(passwords, "_hasher", quick)
