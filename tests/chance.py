"""Randomness that can be repeated: the seed is printed, and `HOMESHELF_TEST_SEED` sets it."""

import os
import random


def chance() -> random.Random:
    """A test that fails shows what this printed; with that seed it does the same again."""
    seed = int(os.environ.get("HOMESHELF_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"HOMESHELF_TEST_SEED={seed}")  # noqa: T201  # pytest shows it with a failure
    return random.Random(seed)
