"""HTTP/1.1 and TLS over one connection (RFC 9112, RFC 8446)."""
