"""Open a room: the gate, the file that a message needs, and a trace of each step."""
