"""Who runs maintenance every day? The machine's own timer, set and taken back by remem."""
