"""Cards, hand strength, exact equity and the features of a hand."""
