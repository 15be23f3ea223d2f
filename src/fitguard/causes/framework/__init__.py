"""How a cause is declared, found and weighed."""
