"""Leduc hold'em: Adjedj, Chouatt and Tora, Leduc Holdem, Final Project (paper 001)."""
