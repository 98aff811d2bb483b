"""What is built on the table, for several who act at once."""
