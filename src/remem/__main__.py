"""`python -m remem` is `remem`."""

from remem.cli.main import main

main()
