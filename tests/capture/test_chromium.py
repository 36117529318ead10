"""The command line that Chromium is launched with."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.capture.browser.chromium import command_line, has_display


def command(*arguments: str, headless: bool = False, port: int | None = None) -> list[str]:
    """A command line with these arguments of the user's."""
    return command_line(
        "chromium",
        "http://127.0.0.1/",
        profile=Path("/profile"),
        proxy_port=8080,
        trusted_key="hash=",
        headless=headless,
        remote_debugging_port=port,
        arguments=arguments,
    )


def test_everything_goes_through_the_proxy() -> None:
    """Loopback addresses too, which Chromium would leave out."""
    line = command()
    assert "--proxy-server=http://127.0.0.1:8080" in line
    assert "--proxy-bypass-list=<-loopback>" in line
    assert "--user-data-dir=/profile" in line
    assert (line[0], line[-1]) == ("chromium", "http://127.0.0.1/")


def test_lists_of_features_are_joined() -> None:
    """Of a repeated switch Chromium sees only the last: the user's must not undo ours."""
    line = command("--disable-features=Mine", "--lang=de")
    (features,) = [one for one in line if one.startswith("--disable-features=")]
    assert "Translate," in features
    assert features.endswith(",Mine")
    assert "--lang=de" in line


def test_a_window_needs_a_display_and_root_no_sandbox() -> None:
    """Only what is needed is switched on."""
    assert {"--headless=new", "--window-size=1280,1024"} <= {*command(headless=True)}
    assert not {"--headless=new", "--window-size=1280,1024"} & {*command()}
    assert "--no-sandbox" not in command()
    assert "--remote-debugging-port=0" in command(port=0)
    assert not [one for one in command() if one.startswith("--remote-debugging-port")]


def test_a_display_is_one_of_x_or_wayland() -> None:
    """Either will do; an empty variable is none."""
    assert has_display({"DISPLAY": ":0"})
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"})
    assert not has_display({"DISPLAY": ""})
