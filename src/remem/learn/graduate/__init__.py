"""TODO learn/graduate"""
