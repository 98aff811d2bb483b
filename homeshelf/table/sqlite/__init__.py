"""The embedded engine: SQLite in one file, through apsw."""
