"""Learning: flush, facts, heartbeat, consolidation, graduation and summaries."""
