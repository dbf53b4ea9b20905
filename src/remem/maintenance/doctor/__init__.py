"""What ails a workspace? Findings, each with what it means and what mends it."""

from remem.maintenance.doctor.finding import Finding, Severity

__all__ = ["Finding", "Severity"]
