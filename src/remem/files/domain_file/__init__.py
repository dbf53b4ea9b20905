"""TODO files/domain_file"""
