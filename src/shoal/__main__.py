"""`python -m shoal` is the command `shoal`."""

from shoal.cli import main

main()
