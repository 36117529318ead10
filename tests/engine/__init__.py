"""Load runs."""
