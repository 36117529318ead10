"""Results of load tests as text, JSON and live lines."""
