"""`python -m remem` is `remem`."""

from remem.cli import main

main()
