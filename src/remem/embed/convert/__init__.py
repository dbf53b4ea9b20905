"""TODO embed/convert"""
