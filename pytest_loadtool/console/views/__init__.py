"""What the console shows, as text: functions from model objects to lines.

Nothing here prints, asks or changes anything.
"""
