"""Administration of one scope: its status, the token audit, curation and the doctor's checks."""
