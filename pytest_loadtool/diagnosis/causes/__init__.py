"""Causes of failures: each check looks at the exchange for one of them."""
