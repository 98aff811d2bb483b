"""Who is told what by mail and when, and how to be told nothing."""
