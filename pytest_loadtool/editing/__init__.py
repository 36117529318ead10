"""Edits of many fields at once: filling in, unique values, login forms."""
