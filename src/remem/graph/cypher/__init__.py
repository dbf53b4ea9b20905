"""Read-only openCypher: a parser, a checker and an interpreter.

Nothing but reading can be expressed: there are no clauses that write, call procedures or load
files. Values only enter a query as parameters or literals, and every query runs within limits.
"""

from __future__ import annotations

from remem.graph.cypher.run import Result, run_query

__all__ = ["Result", "run_query"]
