"""One file for each check of data against a model: facts in, a finding out. Pure functions."""
