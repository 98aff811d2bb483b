"""Benchmarks with bars for each figure: `python -m bench [PART...]`.

`suite.py` lists the parts in their order; each has its figures, their bars and the measurement.
"""
