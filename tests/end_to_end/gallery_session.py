"""``python -m tests.end_to_end.gallery_session URL FILE…``: upload a picture and papers."""

from __future__ import annotations

import sys

from tests.applications.browsing import recorded_page

if __name__ == "__main__":
    url, picture, *papers = sys.argv[1:]
    with recorded_page() as page:
        page.goto(f"{url}/upload/")
        page.fill("[name=title]", "Grüße aus Köln")
        page.set_input_files("[name=picture]", picture)
        page.set_input_files("[name=papers]", papers)
        page.click("button")
        page.wait_for_selector("#done")
        page.click("text=More")
        page.fill("[name=title]", "The same once more")
        page.set_input_files("[name=picture]", picture)
        page.click("button")
        page.wait_for_selector("#done")
