"""From recorded requests to request templates."""
