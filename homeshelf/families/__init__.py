"""Families, their members, and the invitations that bring people in."""
