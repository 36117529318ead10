"""What full-screen views show, and what their keys do: frozen data and functions of it.

A screen is told what is open, and gives lines for a number of columns and rows. A key either moves
what is looked at, or is the line of a command: nothing can be done in a view that no command does.

Nothing here may read keys or write to a terminal: `fullscreen` does.
"""
