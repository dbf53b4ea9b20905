"""TODO learn/flush"""
