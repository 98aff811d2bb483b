"""How fast Homeshelf is, beside what it could be: `python -m bench [NAME...]`.

Each module or package here that has a `run(report)` is a part, run by its name.
"""
