"""TODO disclose/open"""
