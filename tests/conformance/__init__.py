"""One table of exchanges, and every transport held to it."""
