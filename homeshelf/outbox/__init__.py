"""What people are told, when, and by which channels."""
