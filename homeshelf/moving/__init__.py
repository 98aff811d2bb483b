"""Moving house: copies of all that there is, from one database to another, and back."""
