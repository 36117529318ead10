"""One virtual user: a generator that yields what to do and is sent what came back."""
