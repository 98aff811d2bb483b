"""Code that all pages and endpoints share."""
