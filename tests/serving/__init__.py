"""How connections are served, by real sockets."""
