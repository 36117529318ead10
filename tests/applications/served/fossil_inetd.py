"""Fossil as inetd starts it, ``fossil http`` for each request, one after the other.

Its file takes one writer at a time, and ``fossil server`` answers others that it is locked.
"""

import os
import socket
import socketserver
import subprocess
import threading

_COMMAND = ("fossil", "http", "tea.fossil", "--nojail", "--nodelay", "--ipaddr", "127.0.0.1")
_ONE_AT_A_TIME = threading.Lock()


class _Request(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        # Browsers open connections that they may never use.
        if self.request.recv(1, socket.MSG_PEEK):
            with _ONE_AT_A_TIME:
                subprocess.run(_COMMAND, stdin=self.request, stdout=self.request, check=False)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True
    request_queue_size = 64


_Server(("127.0.0.1", int(os.environ["TEA_PORT"])), _Request).serve_forever()
