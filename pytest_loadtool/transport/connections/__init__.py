"""What the virtual users of a run share, and the connections of one of them."""
