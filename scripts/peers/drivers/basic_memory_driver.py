"""Start the MCP server of basic-memory.

It loads an extension into SQLite; builds of Python that cannot get a SQLite that can.
"""

from __future__ import annotations

import sqlite3
import sys

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    import pysqlite3  # type: ignore[import-not-found]  # it lives in another environment
    from pysqlite3 import dbapi2  # type: ignore[import-not-found]

    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = dbapi2

from basic_memory.cli.main import app  # type: ignore[import-not-found]

if __name__ == "__main__":
    sys.argv = ["basic-memory", "mcp"]
    sys.exit(app())
