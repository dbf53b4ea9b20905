"""What does remem do when a host calls it in the middle of a conversation?"""
