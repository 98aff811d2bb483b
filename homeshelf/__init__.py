"""Homeshelf tracks what a household has, what is running low and what to buy."""

__version__ = "0.1.0"
