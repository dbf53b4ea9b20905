"""TODO search/refresh"""
