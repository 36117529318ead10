"""Virtual users over httpx: HTTP/2, and applications in this process."""
