"""Coordination of concurrent writers on the table."""
