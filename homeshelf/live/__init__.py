"""What changed, to those who listen, as it happens."""
