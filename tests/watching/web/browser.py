"""A real browser, driven through the pipe of its own protocol: chromium --remote-debugging-pipe."""

import base64
import contextlib
import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from chromium import CHROMIUM, FLAGS, NO_HOSTS

_LOOPBACK_ONLY = f"{NO_HOSTS}, EXCLUDE 127.0.0.1"


class Browser(contextlib.AbstractContextManager["Browser"]):
    """One page of it.

    Args:
        folder: For its profile.
    """

    def __init__(self, folder: Path) -> None:
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        # The protocol wants the numbers 3 and 4.
        command = f'exec {CHROMIUM} "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                command,
                "chromium",
                *FLAGS,
                _LOOPBACK_ONLY,
                "--remote-debugging-pipe",
                f"--user-data-dir={folder}/profile",
            ],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._numbers = itertools.count(1)
        self._left = b""
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]

    def __exit__(self, *_: object) -> None:
        os.close(self._to)
        os.close(self._from)
        self._process.terminate()
        self._process.wait(60)

    def open(self, address: str, width: int = 1200, *, dark: bool = False) -> None:
        """Go there, in a window of this width."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        self.send("Page.navigate", url=address)

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript, once it has one."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, file: Path, top: float = 0, height: float = 900) -> None:
        """A part of the page as it is drawn."""
        width = self.ask("innerWidth")
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        shot = self.send(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        file.write_bytes(base64.b64decode(shot["data"]))

    def send(self, method: str, **parameters: object) -> dict[str, Any]:
        """One call of the protocol, and its answer."""
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._read_message())
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return dict(answer["result"])

    def _read_message(self) -> bytes:
        while b"\0" not in self._left:
            data = os.read(self._from, 1 << 20)
            assert data, "the browser has ended"
            self._left += data
        message, _, self._left = self._left.partition(b"\0")
        return message
