"""May agents rely on this memory? Five checks, each with the reasons where it fails.

Every command knows the result's shape; only a validation loads the checks themselves.
"""

from remem.maintenance.validation.result import Check, Tried, Validation

__all__ = ["Check", "Tried", "Validation"]
