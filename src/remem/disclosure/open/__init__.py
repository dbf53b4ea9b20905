"""Which of a room's files does this message need? The loading protocol, step by step."""
