"""What every page and endpoint shares."""
