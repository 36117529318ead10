"""The manifests of docs/fleet.md, against the schemas of Kubernetes."""

from __future__ import annotations

import re
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]  # it has no types
import pytest
import yaml

PAGE = Path(__file__).parents[2] / "docs" / "fleet.md"


def test_manifests_are_what_kubernetes_takes() -> None:
    """No key that it does not know, and none missing; workers find the scheduler by its name."""
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    service, scheduler, worker = yaml.safe_load_all(text)
    for one in (service, scheduler, worker):
        kubernetes_validate.validate(one, "1.30", strict=True)
    (container,) = worker["spec"]["template"]["spec"]["containers"]
    (port,) = service["spec"]["ports"]
    assert f"tcp://{service['metadata']['name']}:{port['port']}" in container["command"]
    assert service["spec"]["selector"] == scheduler["spec"]["template"]["metadata"]["labels"]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(worker | {"replicas": 8}, "1.30", strict=True)
