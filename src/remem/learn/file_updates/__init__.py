"""TODO learn/file_updates"""
