"""TODO setup/timers"""
