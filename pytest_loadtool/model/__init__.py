"""The nouns: frozen dataclasses, with what follows from their own fields.

Nothing may enter here but the standard library: no I/O, no reading or writing of a format or a
protocol (that is `codec`, or `casefile`).
"""
