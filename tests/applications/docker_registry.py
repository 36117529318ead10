"""Docker's registry from Debian, in Go: blobs sent in pieces to addresses that it gives out."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Docker registry 2.8, Go"
BROWSER = False
UNIQUE: tuple[str, ...] = ("kettle", "spoons")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/docker-registry")
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIGURATION = """version: 0.1
storage:
  filesystem:
    rootdirectory: {state}/blobs
  delete:
    enabled: true
http:
  addr: 127.0.0.1:{port}
"""


def install() -> None:
    """The registry as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "docker-registry", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty registry, which makes the secret of its uploads anew."""
    port = free_port()
    written = state / "config.yml"
    written.write_text(_CONFIGURATION.format(state=state, port=port))
    command = (str(_PROGRAM), "serve", str(written))
    with serving(command, f"http://127.0.0.1:{port}/v2/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The tags of each repository with what they stand for, and uploads that were not ended."""
    root = folder / "blobs" / "docker" / "registry" / "v2" / "repositories"
    rows: list[str] = []
    for link in root.glob("**/_manifests/tags/*/current/link"):
        tag = link.parents[1].name
        rows.append(f"{link.relative_to(root).parents[4]}:{tag} {link.read_text()}")
    layers = root.glob("**/_layers/sha256/*/link")
    rows += [f"{one.relative_to(root).parents[3]} has {one.parent.name}" for one in layers]
    begun = root.glob("**/_uploads/*/startedat")  # of one that is given up, hashes stay
    rows += [f"upload of {one.relative_to(root).parents[2]}" for one in begun]
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """Somebody else has an image."""
    with httpx.Client(base_url=url, timeout=60) as client:
        _image(client, "old/cups", "1", b"cups, chipped\n")


def drive(url: str) -> None:
    """Two images are pushed, one in pieces; one gets another tag and loses one."""
    with httpx.Client(base_url=url, timeout=60) as client:
        client.get("/v2/").raise_for_status()
        kettle = _image(client, "tea/kettle", "1.0", b"kettle, enamelled\n" * 40)
        _image(client, "tea/spoons", "1.0", b"spoons, polished\n" * 25)
        assert client.get("/v2/tea/kettle/tags/list").json()["tags"] == ["1.0"]
        manifest = client.get("/v2/tea/kettle/manifests/1.0", headers={"Accept": _MANIFEST})
        answer = client.put(
            "/v2/tea/kettle/manifests/latest",
            content=manifest.raise_for_status().content,
            headers={"Content-Type": _MANIFEST},
        )
        assert answer.raise_for_status().headers["Docker-Content-Digest"] == kettle
        client.get("/v2/tea/kettle/tags/list").raise_for_status()
        # Given up: an upload that is begun, and deleted.
        begun = client.post("/v2/tea/spoons/blobs/uploads/").raise_for_status()
        client.delete(begun.headers["Location"]).raise_for_status()
        listed = client.get("/v2/tea/spoons/manifests/1.0", headers={"Accept": _MANIFEST})
        digest = listed.headers["Docker-Content-Digest"]
        client.delete(f"/v2/tea/spoons/manifests/{digest}").raise_for_status()
        client.get("/v2/_catalog").raise_for_status()


def _image(client: httpx.Client, name: str, tag: str, layer: bytes) -> str:
    """Push an image of one layer. The value is its digest."""
    described = json.dumps({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers"}})
    layers = [_pushed(client, name, one) for one in (layer, described.encode())]
    manifest: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **layers[1]},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", **layers[0]}],
    }
    path = f"/v2/{name}/manifests/{tag}"
    headers = {"Content-Type": _MANIFEST}
    answer = client.put(path, content=json.dumps(manifest).encode(), headers=headers)
    return str(answer.raise_for_status().headers["Docker-Content-Digest"])


def _pushed(client: httpx.Client, name: str, blob: bytes) -> dict[str, Any]:
    """Send it in two pieces, each to the address that the answer before names."""
    digest = f"sha256:{hashlib.sha256(blob).hexdigest()}"
    client.head(f"/v2/{name}/blobs/{digest}")  # 404: it is not there
    begun = client.post(f"/v2/{name}/blobs/uploads/").raise_for_status()
    half = len(blob) // 2
    headers = {"Content-Type": "application/octet-stream", "Content-Range": f"0-{half - 1}"}
    sent = client.patch(begun.headers["Location"], content=blob[:half], headers=headers)
    headers["Content-Range"] = f"{half}-{len(blob) - 1}"
    sent = client.patch(
        sent.raise_for_status().headers["Location"], content=blob[half:], headers=headers
    )
    end = httpx.URL(sent.raise_for_status().headers["Location"]).copy_merge_params(
        {"digest": digest}
    )
    client.put(end).raise_for_status()
    return {"digest": digest, "size": len(blob)}
