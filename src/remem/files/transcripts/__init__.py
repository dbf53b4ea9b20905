"""TODO files/transcripts"""
