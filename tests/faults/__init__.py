"""Servers that misbehave, and what is said of them."""
