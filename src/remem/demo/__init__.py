"""What does remem look like at work? Real servers, a real client, and claims that are checked."""

from remem.demo.stage import Stage
from remem.demo.story import tell

__all__ = ["Stage", "tell"]
