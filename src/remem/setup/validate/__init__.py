"""TODO setup/validate"""
