"""An entry store in memory, for tests and for data that need not outlive a process."""
