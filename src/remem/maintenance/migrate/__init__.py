"""How does memory that people already have become entries? Line by line, all accounted for."""

from remem.maintenance.migrate.account import Migration
from remem.maintenance.migrate.rehearsal import as_rehearsed
from remem.maintenance.migrate.run import Migrating, migrate

__all__ = ["Migrating", "Migration", "as_rehearsed", "migrate"]
