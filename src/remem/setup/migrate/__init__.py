"""TODO setup/migrate"""
