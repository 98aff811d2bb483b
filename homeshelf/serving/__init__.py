"""The HTTP server: one process, or several workers that share a port."""
