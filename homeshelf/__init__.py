"""What is at home, what runs low and what to buy, shared by a household."""

__version__ = "0.1.0"
