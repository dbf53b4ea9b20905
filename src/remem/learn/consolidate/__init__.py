"""TODO learn/consolidate"""
