"""AWS's list prices in us-east-1, in dollars, and the default quotas of an account.

Prices change and differ by region: check them before you rely on them.
"""

HOURS = 730
"""The hours of a month."""
DAYS = HOURS / 24

READ_UNIT = 0.125 / 1e6
WRITE_UNIT = 0.625 / 1e6
STORED_BYTE = 0.25 / 1e9
RECOVERABLE_BYTE = 0.20 / 1e9
"""The price of point-in-time recovery per byte."""
CORE_HOUR = 0.04048
MEMORY_HOUR = 0.004445
"""The price per GB."""
ADDRESS_HOUR = 0.005
BALANCER_HOUR = 0.0225
BALANCER_UNIT_HOUR = 0.008
LOG_BYTE = 0.50 / 1e9
SENT_BYTE = 0.09 / 1e9
SECRET = 0.40
ALARM = 0.10
"""The price per metric."""

UNIT_CONNECTIONS = 3000
UNIT_NEW_CONNECTIONS = 25
UNIT_BYTES_HOUR = 1e9
"""The capacity of one load balancer unit: open connections, new ones per second, bytes per hour."""

PARTITION_WRITES = 1000
PARTITION_READS = 3000
TABLE_WRITES = 40_000
TABLE_READS = 40_000
NEW_TABLE_WRITES = 4000
NEW_TABLE_READS = 12_000
"""The read units that a new table serves at once; later it serves twice its last peak."""
ACCOUNT_CORES = 6
