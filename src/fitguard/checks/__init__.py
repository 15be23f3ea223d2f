"""One file for each environment check: facts and knowledge in, a finding out. Pure functions."""
