"""Things that are switched by a request which has no body: what its path names is another way
afterwards. Judged by the state of the server."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Flags:
    """Flags of features, which are on or off in each environment; ``turned`` is the one that is
    switched, or none, in place of that which is meant."""

    turned: str | None = "meant"
    on: dict[str, dict[str, bool]] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        _, __, name, *rest = target.split("/")
        if body:
            self.on[name] = {"development": False, "production": False}
        elif rest and method == "POST" and self.turned is not None:
            self.on[name][rest[1] if self.turned == "meant" else self.turned] = rest[2] == "on"
        environments = [{"name": one, "enabled": is_on} for one, is_on in self.on[name].items()]
        return json_answer({"name": name, "environments": environments})

    def session(self, client: Client) -> None:
        """A flag is made and switched on in one environment."""
        client.json("PUT", "/flags/new-prices", {"description": "Prices of the year"})
        client.send("GET", "/flags/new-prices")
        client.send("POST", "/flags/new-prices/environments/development/on")
        client.send("GET", "/flags/new-prices")


@pytest.mark.parametrize("turned", ["meant", "production", None])
def test_switched_by_path(turned: str | None) -> None:
    """It is red where it was not switched, or another one was in its place."""
    office = Flags()
    case = recorded(office, office.session)
    expected = "GREEN" if turned == "meant" else "red"
    assert colour(replayed(case, Flags(turned))) == expected
