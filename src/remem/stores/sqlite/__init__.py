"""The embedded store: one SQLite file per scope, no server."""

from typing import Final

from remem.stores.sqlite.connection import holding
from remem.stores.sqlite.passages import SqlitePassages
from remem.stores.sqlite.schema import MIGRATIONS
from remem.stores.sqlite.store import SqliteStore

SCHEMA: Final = len(MIGRATIONS)

__all__ = ["SCHEMA", "SqlitePassages", "SqliteStore", "holding"]
