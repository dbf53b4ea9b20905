"""How does a person use a memory? With `remem` on the command line.

Data goes to stdout, everything else to stderr. A command's module is imported when the
command runs, so that `remem --help` and `remem recall` start fast.
"""

from remem.cli.group import main

__all__ = ["main"]
