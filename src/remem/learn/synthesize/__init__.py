"""TODO learn/synthesize"""
