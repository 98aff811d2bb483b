"""Each reader's books."""
