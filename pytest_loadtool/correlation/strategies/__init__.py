"""Strategies: each proposes where values come from. They decide nothing, and change nothing."""
