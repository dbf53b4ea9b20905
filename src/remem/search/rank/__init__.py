"""TODO search/rank"""
