"""Facts about entities: record, supersede, list, name and erase them."""
