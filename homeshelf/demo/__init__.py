"""The household of `homeshelf demo`."""
