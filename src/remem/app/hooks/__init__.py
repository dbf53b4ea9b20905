"""Host hooks: what remem does when a host calls it during a conversation."""
