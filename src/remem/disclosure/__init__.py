"""What does an agent see first? The small index; everything else on demand."""
