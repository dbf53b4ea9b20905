"""TODO search/passages"""
