"""What the recorded responses hold: values, documents and their objects. It decides nothing."""
