"""How does search keep up with the files? Read what changed, cut it into passages, store it."""

from remem.refresh.run import Refresh, Refreshed
from remem.refresh.sources import Sources, domain_sources

__all__ = ["Refresh", "Refreshed", "Sources", "domain_sources"]
