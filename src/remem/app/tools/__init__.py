"""TODO app/tools"""
