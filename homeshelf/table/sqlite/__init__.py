"""The embedded engine: SQLite through apsw, in one file."""
