"""What does the memory cost, what does it waste, and how is it doing?

The parts that read whole files are imported where an audit is asked for: every command loads
this page, and few of them audit.
"""

from remem.audit.result import Audit, Recommendation
from remem.audit.status import Status, Surroundings, status

__all__ = [
    "Audit",
    "Recommendation",
    "Status",
    "Surroundings",
    "status",
]
