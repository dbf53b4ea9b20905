"""Which work is due in a whole workspace, and who does it? The owner's `remem maintain`."""

from remem.clinic.maintain.run import Maintained, Step, maintain

__all__ = ["Maintained", "Step", "maintain"]
