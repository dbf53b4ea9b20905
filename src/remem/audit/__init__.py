"""What does the memory cost, what does it waste, and how is it doing?"""
