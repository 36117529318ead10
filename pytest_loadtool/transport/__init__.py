"""Sockets: drivers that feed virtual users. An edge: the only room that opens network connections.

`replay_once` is the functional replay: one virtual user, one iteration. `LoadRunner` drives a share
of a load test's users. All go over what `choice` makes for a test case: `raw` (HTTP/1.1, built for
load) or `httpx` (also HTTP/2, and applications in this process).
"""
