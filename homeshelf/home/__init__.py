"""The first page: what matters now."""
