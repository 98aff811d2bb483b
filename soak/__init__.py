"""`make soak`: two days of a busy family in ten minutes, with a clock that runs as much faster.

The first day brings everything to where it stays. Over the second one memory, files, open files and
the time that answers take have to stay what they are.
"""
