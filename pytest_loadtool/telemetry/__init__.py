"""Metrics of a load test for collectors, while it runs: an edge, which only the plugin knows."""
