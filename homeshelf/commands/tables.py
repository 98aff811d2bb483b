"""`homeshelf tables`: make, list and check the tables."""

import typer

from homeshelf.commands.database import with_database


def create() -> None:
    made = with_database(lambda db: db.engine.create_tables())
    typer.echo("\n".join(f"Made {name}." for name in made) or "All tables are there.")


def list_() -> None:
    found = with_database(lambda db: db.engine.list_tables())
    typer.echo("\n".join(found) or "There are no tables yet: homeshelf tables create makes them.")


def check() -> int:
    """Returns 1 where something differs."""
    differences = with_database(lambda db: db.engine.check_tables())
    typer.echo("\n".join(differences) or "The tables are as they should be.")
    return int(bool(differences))
