"""How do the files follow the store, and the store the files?"""
