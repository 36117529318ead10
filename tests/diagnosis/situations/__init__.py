"""Failures brought about for real: what the diagnosis names first, and whether its remedy mends."""
