"""Back up, restore, copy, export and import data."""
