"""The arithmetic of a load test: histograms, metrics, shares, messages, verdicts."""
