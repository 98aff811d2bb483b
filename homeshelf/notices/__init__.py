"""Notices: what runs low, told once."""
