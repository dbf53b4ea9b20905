"""The command line. Data is printed to stdout, everything else to stderr.

A command's module is imported when the command runs, so that `remem --help` starts fast.
"""

from remem.cli.main import main

__all__ = ["main"]
