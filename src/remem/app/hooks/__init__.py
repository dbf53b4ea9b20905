"""TODO app/hooks"""
