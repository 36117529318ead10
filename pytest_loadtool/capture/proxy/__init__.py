"""The recording proxy: mitmproxy, and what it reports of each exchange."""
