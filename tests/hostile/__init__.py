"""What servers and files should never hold, and what becomes of it."""
