"""`python -m scripts.aws` writes the computed part of `docs/aws.md`."""

from scripts.aws import page

if __name__ == "__main__":
    page.write()
