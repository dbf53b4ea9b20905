"""TODO text/secrets"""
