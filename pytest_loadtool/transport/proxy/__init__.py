"""Connections through proxies: CONNECT, and proxies that ask who it is (RFC 9110 §9.3.6, §11.7)."""
