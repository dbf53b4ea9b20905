"""Host hooks: the code that runs when a host calls remem during a conversation."""
