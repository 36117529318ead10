"""What is asked of a person, page by page, and what becomes of the answers."""
