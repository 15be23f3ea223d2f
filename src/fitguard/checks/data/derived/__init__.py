"""What several checks of data derive from the facts, and how they say it."""
