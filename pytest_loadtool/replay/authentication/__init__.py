"""HTTP authentication of a virtual user: what it answers when it is asked who it is, and remembers.

Sits around a plain virtual user, which knows nothing of it. No I/O enters: the schemes themselves
are in the room `auth`, and who asks proxies for tunnels in `transport`.
"""
