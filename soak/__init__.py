"""`make soak`: two days of a busy family in ten minutes, with a clock that runs 288 times as fast.

The first day is the warm-up. On the second day, memory, disk use, open files and response times
must not grow.
"""
