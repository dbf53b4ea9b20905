"""Values and rules: no clock, no disk, no SQL, no network, no environment."""
