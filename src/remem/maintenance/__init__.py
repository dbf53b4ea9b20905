"""What has to be done around the memory? Files written, edits taken in, vectors made."""
