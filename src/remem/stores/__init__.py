"""Where do entries live? One adapter per database; the only code that writes SQL."""
