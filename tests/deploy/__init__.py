"""What stands in `deploy/`, as far as it can be run without the machines it is for."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
