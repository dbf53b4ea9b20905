"""TODO search/answer"""
