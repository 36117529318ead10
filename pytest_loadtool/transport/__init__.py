"""Sockets: drivers that feed virtual users. An edge: the only room that opens network connections.

`replay_once` is the functional replay: one virtual user, one iteration. `LoadRunner` drives a share
of a load test's users. Both use the `raw` transport (HTTP/1.1 on httptools and uvloop).
"""
