"""What answers say and look like: whether one says that it failed, and how it differs from another.

Pure functions of texts. A recording is looked at with the same eyes as a replay. What may not
enter: requests, users, and how results are counted or shown.
"""
