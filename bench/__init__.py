"""How fast Homeshelf is, beside what it could be: `python -m bench [PART...]`.

`suite.py` has the parts in their order; each has its figures, their bars, and how they are had.
"""
