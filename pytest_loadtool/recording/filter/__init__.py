"""Which exchanges become transactions, and which do not, with the reason."""
