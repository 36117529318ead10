"""From the place in a response that gives a value out to the extractor that takes it."""
