"""People: how they sign up, sign in and stay signed in."""
