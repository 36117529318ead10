"""Load tests that fail, each for a reason that was brought about."""
