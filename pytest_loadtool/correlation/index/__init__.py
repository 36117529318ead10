"""Requests and responses, read once into indexes that nothing changes any more."""
