"""Rules: cards, hand strength, betting trees."""
