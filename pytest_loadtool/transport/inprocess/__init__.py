"""Applications in this process: ASGI and WSGI, without a socket."""
