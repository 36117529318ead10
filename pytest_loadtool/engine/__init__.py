"""The run: virtual users on an event loop, functional or under load.

May use sockets through `transport` only; knows no pytest, no terminal.
"""
