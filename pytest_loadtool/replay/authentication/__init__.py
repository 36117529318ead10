"""A virtual user that answers challenges and renews its tokens."""
