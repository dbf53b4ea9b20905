"""TODO setup/hosts"""
