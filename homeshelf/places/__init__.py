"""Where things are kept, and where they are bought."""
