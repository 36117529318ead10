"""Where values stand in requests, and how texts are taken apart and put together again."""
