"""Read-only openCypher: a parser, a checker and an interpreter.

Nothing but reading can be expressed: there are no clauses that write, call procedures or load
files. Values only enter a query as parameters or constants, and every query runs within limits.
"""
