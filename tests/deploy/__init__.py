"""Tests of the files in `deploy/`, as far as they run without the target machines."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
