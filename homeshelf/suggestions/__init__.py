"""What the children ask for, and what their parents decide."""
