"""Tools for concurrent writers: transactions, claims, queues, leases and idempotency."""
