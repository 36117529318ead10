"""Shares of one load test, and the protocol between their workers and who conducts them."""
