"""TODO search/query"""
