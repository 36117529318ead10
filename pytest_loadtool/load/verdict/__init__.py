"""From merged metrics to passed, failed or inconclusive, with reasons."""
