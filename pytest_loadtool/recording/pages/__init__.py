"""Which requests make up a page, what it is called, and when it was visited."""
