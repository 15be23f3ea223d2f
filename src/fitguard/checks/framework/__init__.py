"""How checks are declared, given their facts, run and tested."""
