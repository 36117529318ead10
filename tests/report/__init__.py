"""What a person or a program reads of the results."""
