"""What Homeshelf costs on AWS, computed from what `make bench` measured.

`python -m scripts.aws` writes it to `docs/aws.md`.
"""
