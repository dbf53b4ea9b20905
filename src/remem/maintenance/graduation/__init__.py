"""What has earned a place in MEMORY.md? Proposed with its reasons; the owner decides."""

from remem.maintenance.graduation.result import Applied, Declined, Graduate, Graduation, Waiting

__all__ = ["Applied", "Declined", "Graduate", "Graduation", "Waiting"]
