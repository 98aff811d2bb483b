"""Code shared by all pages and endpoints."""
