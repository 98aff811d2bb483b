"""Randomness that can be repeated: the seed is printed, and `--seed` sets it."""

import os
import random

SEED = "TEST_SEED"


def chance() -> random.Random:
    """A test that fails shows what this printed; with that seed it does the same again."""
    seed = int(os.environ.get(SEED) or random.SystemRandom().randrange(2**32))
    print(f"--seed {seed}")  # noqa: T201  # pytest shows it with a failure
    return random.Random(seed)
