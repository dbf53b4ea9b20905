"""Transcripts of the hosts: where they are, which scope they belong to, and how they are read."""
