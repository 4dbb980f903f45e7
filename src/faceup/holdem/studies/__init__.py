"""What only studies use."""
