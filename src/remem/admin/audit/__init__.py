"""TODO admin/audit"""
