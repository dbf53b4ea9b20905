"""What a shared space keeps besides its entries: a log of its use, proposals, and copies."""
