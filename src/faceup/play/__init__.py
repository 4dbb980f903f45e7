"""Models at the table."""
