"""What is in the house, where it is kept and where it is bought."""
