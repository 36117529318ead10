"""Mergeable counters and histograms. Nothing grows with the number of requests."""
