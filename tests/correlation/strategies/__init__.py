"""Strategies: each alone, and what the table and the resolver make of all."""
