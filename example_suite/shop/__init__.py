"""The shop: a small Django application with pages, a JSON API and the stock admin."""
