"""Send changes to listeners as they happen."""
