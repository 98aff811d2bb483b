"""Mail: an outbox in the table, and the worker that sends what is in it."""
