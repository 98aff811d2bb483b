"""A household that does not exist, to look around in."""
