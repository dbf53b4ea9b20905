"""The token audit: the cost of a memory, its redundant parts, and recommendations."""
