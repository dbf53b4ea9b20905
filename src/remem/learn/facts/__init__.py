"""TODO learn/facts"""
