"""TODO extract/patterns"""
