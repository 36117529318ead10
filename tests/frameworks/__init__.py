"""Small servers that want their tokens back as well-known frameworks do.

Each is recorded by a real client, configured with no edit, and replayed against the same server
with a fresh state and fresh secrets. As recorded, without being configured, it must fail there.
"""
