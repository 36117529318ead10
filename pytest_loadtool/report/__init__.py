"""Results and failures as texts for people: what to show, in what words, and what to hide.

Nothing may enter that fetches, decides or writes: a report is a function from what happened to text.
It knows neither pytest nor a terminal's colours; the edges print it.
"""
