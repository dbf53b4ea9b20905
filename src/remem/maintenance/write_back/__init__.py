"""How does what a conversation taught reach the files that people read?"""
