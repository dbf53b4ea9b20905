"""Decide who wrote the parts of a message: the speaker or somebody else."""
