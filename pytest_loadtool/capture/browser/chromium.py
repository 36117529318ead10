"""The command line, profile and environment with which Chromium sends its user's traffic, and no
other.

It also finds a browser to record with.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_loadtool.errors import RecordingError

#: Browsers that understand Chromium's command line, the plain one first.
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "brave-browser",
    "brave",
    "microsoft-edge",
    "microsoft-edge-stable",
    "vivaldi",
)


FIREFOX = (
    "Firefox is not launched: a profile of its own would have to trust the recorder's certificate, "
    "which only certutil can make it do. `record --browser none` and a script do it: "
    "docs/recording.md#firefox"
)
"""Why Firefox is not among them, and how it is recorded all the same."""


def browsers() -> tuple[str, ...]:
    """Return the browsers on PATH that can be launched, each once, whatever it is called by."""
    found = (shutil.which(name) for name in _NAMES)
    by_program = {Path(path).resolve(): path for path in reversed([*filter(None, found)])}
    return tuple(reversed(by_program.values()))


def find_browser(path: str | None = None) -> str:
    """Return the executable to launch: ``path`` (a file, or a name on PATH) or the first known on
    PATH.

    Raises:
        RecordingError: there is none.
    """
    if path is not None:
        if Path(path).name.startswith("firefox"):
            raise RecordingError(FIREFOX)
        found = shutil.which(path)
        if found is None:
            raise RecordingError(f"{path!r} is not a program that can be started: check the path")
        return found
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    if shutil.which("firefox") is not None:
        raise RecordingError(FIREFOX)
    raise RecordingError(
        f"no browser found on PATH (looked for {', '.join(_NAMES)}): install chromium, "
        "give the path of one, or record without a browser and set the proxy in your own client"
    )


#: An address that Chromium never connects to: port 9 is among those it refuses.
_NOWHERE = "http://127.0.0.1:9/"

#: Switches that keep the browser's own traffic (updates, sync, field trials, reports) out.
QUIET = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    # Two services have no switch of their own; their address can be changed.
    f"--component-updater=url-source={_NOWHERE}",
    f"--gaia-url={_NOWHERE}",
    # The proxy speaks HTTP/1.1 and HTTP/2; what went around it would not be recorded.
    "--disable-quic",
)

#: Features switched off: each would ask a server of the browser's maker, or change what was typed.
_FEATURES_OFF = (
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "HttpsUpgrades",  # http://host is recorded as http://host
    "InterestFeedContentSuggestions",
    "InterestFeedV2",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelDownloading",
    "OptimizationHints",
    "OptimizationHintsFetching",
    "OptimizationTargetPrediction",
    "PasswordLeakDetection",
    "PrivacySandboxSettings4",
    "SegmentationPlatform",
    "Translate",
)

#: Settings of the fresh profile (its ``Preferences`` file) for what has no switch.
_PREFERENCES: Mapping[str, object] = {
    "alternate_error_pages": {"enabled": False},
    "autofill": {"enabled": False},
    "credentials_enable_service": False,
    "profile": {"password_manager_enabled": False, "password_manager_leak_detection": False},
    "safebrowsing": {"enabled": False, "enhanced": False},
    "search": {"suggest_enabled": False},
    "signin": {"allowed": False},
    "translate": {"enabled": False},
}

#: Settings of the browser (its ``Local State`` file). On Linux it knows no Negotiate until a server
#: has asked for it once, and in a fresh profile the first page that does is not shown.
_LOCAL_STATE: Mapping[str, object] = {"net": {"received_http_auth_negotiate_headers": True}}

#: Bytes that leave room for ``/org.chromium.Chromium.abcdef/SingletonSocket``.
_SHORT_PATH = 56

_JOINED = ("--disable-features", "--enable-features", "--disable-blink-features")


def has_display(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether a window could be shown."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def write_profile(profile: Path) -> None:
    """A new profile with the settings above."""
    directory = profile / "Default"
    directory.mkdir(parents=True)
    (directory / "Preferences").write_text(json.dumps(_PREFERENCES), encoding="utf-8")
    (profile / "Local State").write_text(json.dumps(_LOCAL_STATE), encoding="utf-8")


def environment(directory: Path) -> dict[str, str]:
    """Return the environment of a Chromium whose temporary files are in ``directory``: it makes a
    socket there, which stays if it is killed, and the directory goes after recording. The path of a
    socket has at most 107 bytes, so one that is too deep gives way to another."""
    short = len(os.fsencode(directory)) <= _SHORT_PATH
    return os.environ | {"TMPDIR": str(directory) if short else "/tmp"}  # noqa: S108  in a private one


def key_hash(ca_certificate: Path) -> str:
    """Return Base64 of SHA-256 of the certificate's public key.

    That is what ``--ignore-certificate-errors-spki-list`` takes.

    The recorder signs every server's certificate for one key, that of its CA. Chromium accepts
    certificates for that key in this profile; no certificate store is touched.
    """
    # Part of the recorder's dependencies, not of the base install.
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    certificate = x509.load_pem_x509_certificate(ca_certificate.read_bytes())
    key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


def command_line(
    executable: str,
    url: str,
    *,
    profile: Path,
    proxy_port: int,
    trusted_key: str,
    headless: bool,
    remote_debugging_port: int | None,
    arguments: Sequence[str] = (),
    root: bool = False,
) -> list[str]:
    """Return the whole command. ``arguments`` are the user's; lists of features are joined to
    ours."""
    switches = [
        f"--user-data-dir={profile}",
        f"--proxy-server=http://127.0.0.1:{proxy_port}",
        # Chromium sends loopback addresses past any proxy unless this rule takes that back.
        "--proxy-bypass-list=<-loopback>",
        f"--ignore-certificate-errors-spki-list={trusted_key}",
        "--remote-debugging-pipe",
        # The pipe would make it tell pages that a program drives it (navigator.webdriver), and some
        # treat such a browser differently. What is recorded is a person's session.
        "--disable-blink-features=AutomationControlled",
        *QUIET,
        f"--disable-features={','.join(_FEATURES_OFF)}",
    ]
    if headless:
        # Its own idea of a window is 800 by 600, to which pages give their layout for phones.
        switches += ("--headless=new", "--window-size=1280,1024")
    if root:
        switches.append("--no-sandbox")  # Chromium does not start as root otherwise
    if remote_debugging_port is not None:
        switches.append(f"--remote-debugging-port={remote_debugging_port}")
    return [executable, *_join([*switches, *arguments]), url]


def _join(switches: Iterable[str]) -> list[str]:
    """Join those switches whose value is a list, and return all: of one that is given twice
    Chromium sees only the last."""
    result: list[str] = []
    lists: dict[str, list[str]] = {}
    for switch in switches:
        name, _, value = switch.partition("=")
        if name in _JOINED:
            lists.setdefault(name, []).append(value)
        else:
            result.append(switch)
    return result + [f"{name}={','.join(values)}" for name, values in lists.items()]
