"""The records of a shared space in addition to its entries: its log, proposals and copies."""
