"""Test cases as pytest items: collected, replayed, reported."""
