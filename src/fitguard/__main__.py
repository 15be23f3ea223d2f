"""`python -m fitguard`."""

from fitguard.cli.main import main

main()
