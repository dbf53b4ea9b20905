"""Connecting hosts: what goes into which of their files, and how it is removed again."""
