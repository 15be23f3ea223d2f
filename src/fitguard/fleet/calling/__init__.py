"""The program that calls the function of a job, in a folder of its own: `fitguard plan` runs it as
a script, and Python puts the folder of a script first on its path."""
