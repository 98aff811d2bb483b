"""Those who use everything that there is, each with records of their own."""
