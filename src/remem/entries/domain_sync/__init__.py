"""TODO entries/domain_sync"""
