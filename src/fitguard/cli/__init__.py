"""One file for each command: the only room that prints or exits."""
