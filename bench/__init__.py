"""Benchmarks: every figure is a ratio to bare parts, measured in the same run."""
