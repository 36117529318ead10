"""A browser's worth of HTTP for the tests: one persistent connection with a cookie jar."""

from __future__ import annotations

import http.client
import re
from types import TracebackType
from urllib.parse import urlencode, urlsplit

__all__ = ["Answer", "Client"]


class Answer:
    """An answer, read to its end."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.closing = response.will_close
        self.text = response.read().decode()

    @property
    def csrf_token(self) -> str:
        """The token in the page's first form."""
        match = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.text)
        assert match, f"no form in {self.text[:200]!r}"
        return match[1]


class Client:
    """Speaks to one server over one connection."""

    def __init__(self, url: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        self.cookies: dict[str, str] = {}

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.connection.close()

    def send(
        self,
        method: str,
        path: str,
        body: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a request with the cookies so far and read the answer."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        jar = {"Cookie": cookie} if cookie else {}
        self.connection.request(method, path, body, jar | (headers or {}))
        answer = Answer(self.connection.getresponse())
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def get(self, path: str) -> Answer:
        """GET a page."""
        return self.send("GET", path)

    def submit(self, path: str, **fields: str) -> Answer:
        """POST a form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", path, urlencode(fields), kind)

    def log_in_to_admin(self) -> None:
        """Become the superuser."""
        path = "/admin/login/?next=/admin/"
        token = self.get(path).csrf_token
        answer = self.submit(
            path, csrfmiddlewaretoken=token, username="admin", password="admin-password"
        )
        assert answer.status == 302
