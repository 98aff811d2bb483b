"""The costs of Homeshelf on AWS, computed from the results of `make bench`.

`python -m scripts.aws` writes them to `docs/aws.md`.
"""
