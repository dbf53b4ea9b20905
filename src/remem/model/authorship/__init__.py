"""Whose words the parts of a message are: the speaker's, somebody else's, or doubtful."""
