"""Lists that anyone can be handed by a short id."""
