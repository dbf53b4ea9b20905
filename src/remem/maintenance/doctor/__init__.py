"""What ails a workspace? Findings, each with what it means and what mends it."""
