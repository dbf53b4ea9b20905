"""TODO admin/doctor"""
