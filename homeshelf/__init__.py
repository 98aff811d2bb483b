"""Homeshelf: a household's shared memory of what is at home, runs low and is to buy."""

__version__ = "0.1.0"
