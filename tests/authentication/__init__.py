"""Logging in to real servers through real proxies, with every scheme."""
