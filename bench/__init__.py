"""Benchmarks with limits for their figures: `python -m bench [PART...]`.

`suite.py` lists the parts in their order. Each part has its figures, their limits and its
measurement.
"""
