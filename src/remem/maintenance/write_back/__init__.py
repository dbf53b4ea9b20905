"""How does a lesson reach the file it belongs into, beside what people wrote there?"""

from remem.maintenance.write_back.change import Change
from remem.maintenance.write_back.run import Writing, write

__all__ = ["Change", "Writing", "write"]
