"""How Homeshelf is served: by one process, or by several that share a port."""
