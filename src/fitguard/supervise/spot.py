"""Notices that a cloud takes a spot machine back: its metadata service is asked now and then."""

import contextlib
import json
import os
import threading
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from fitguard.supervise.options import Spot

METADATA_URL = "FITGUARD_METADATA_URL"
"""Variable: another address to ask, such as that of a test."""
_ADDRESS = "http://169.254.169.254"
_EVERY_SECONDS = 5.0
_ANSWER_SECONDS = 2.0
_SLOW_SECONDS = 30.0
_MOST_BYTES = 1 << 20
_NOT_FOUND = 404
_VENDORS: dict[str, Spot] = {"Amazon EC2": "aws", "Google": "gcp", "Microsoft Corporation": "azure"}
_AZURE_EVENTS = "/metadata/scheduledevents?api-version=2020-07-01"
_AZURE_NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"
# The answer of a service on the machine itself: a proxy would ask its own.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Notice:
    """That the machine goes.

    Args:
        end: When, in seconds since 1970; None where that was not told.
    """

    text: str
    end: float | None = None


class SpotWatch(threading.Thread):
    """Asks until there is a notice.

    Args:
        tell: Called with the notice.
        say: Told once where the service does not answer.

    Attributes:
        notice: What came; None so far.
    """

    def __init__(
        self,
        ask: Callable[[str], Notice | None],
        tell: Callable[[Notice], None],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(name="fitguard-spot", daemon=True)
        self.notice: Notice | None = None
        self._ask = ask
        self._tell = tell
        self._say = say
        self._address = os.environ.get(METADATA_URL, _ADDRESS)
        self._ended = threading.Event()
        self._has_failed = False

    def run(self) -> None:
        while self.notice is None:
            # A service that answers drop by drop never runs into the limit of one read.
            slow = threading.Timer(_SLOW_SECONDS, self._complain, [TimeoutError("no whole answer")])
            slow.daemon = True
            slow.start()
            try:
                self.notice = self._ask(self._address)
            except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
                self._complain(error)
            finally:
                slow.cancel()
            if self.notice is not None:
                self._tell(self.notice)
            elif self._ended.wait(_EVERY_SECONDS):
                return

    def end(self) -> None:
        """Ask no more."""
        self._ended.set()

    def _complain(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            self._say(
                f"the metadata service at {self._address} cannot be asked for notices: {error}. "
                "fitguard keeps trying"
            )


@contextlib.contextmanager
def watching_spot(
    spot: Spot, tell: Callable[[Notice], None], say: Callable[[str], None]
) -> Iterator[SpotWatch | None]:
    """Watch for notices while it lasts; None where nobody would send any."""
    cloud = _recognize_cloud() if spot == "auto" else spot
    if spot == "auto" and cloud == "off":
        say("--spot auto: this machine is not of AWS, Google or Azure, so no notices are watched")
    if cloud not in _ASK:
        yield None
        return
    watch = SpotWatch(_ASK[cloud], tell, say)
    watch.start()
    try:
        yield watch
    finally:
        watch.end()


def _recognize_cloud(vendor: Path = Path("/sys/class/dmi/id/sys_vendor")) -> Spot:
    with contextlib.suppress(OSError):
        return _VENDORS.get(vendor.read_text().strip(), "off")
    return "off"


def _ask_aws(address: str) -> Notice | None:
    token = _fetch(
        f"{address}/latest/api/token",
        {"X-aws-ec2-metadata-token-ttl-seconds": "60"},
        method="PUT",
    )
    answer = _fetch(
        f"{address}/latest/meta-data/spot/instance-action",
        {"X-aws-ec2-metadata-token": token or ""},
    )
    if answer is None:
        return None
    action = json.loads(answer)
    end = datetime.fromisoformat(action["time"]).timestamp()
    return Notice(f"AWS will {action['action']} this machine at {_format_time(end)}", end)


def _ask_gcp(address: str) -> Notice | None:
    answer = _fetch(
        f"{address}/computeMetadata/v1/instance/preempted", {"Metadata-Flavor": "Google"}
    )
    taken = answer is not None and answer.strip() == "TRUE"
    return Notice("Google takes this machine back now") if taken else None


def _ask_azure(address: str) -> Notice | None:
    header = {"Metadata": "true"}
    events = json.loads(_fetch(f"{address}{_AZURE_EVENTS}", header) or "{}").get("Events", [])
    ends = [event for event in events if event["EventType"] in ("Preempt", "Terminate")]
    if not ends:
        return None
    # All machines of a set are told of each other's events.
    name = (_fetch(f"{address}{_AZURE_NAME}", header) or "").strip()
    ours = next((event for event in ends if name in event.get("Resources", [])), None)
    return None if ours is None else _build_azure_notice(ours)


def _build_azure_notice(event: dict[str, Any]) -> Notice:
    told = event.get("NotBefore") or ""  # empty once it has begun
    if not told:
        return Notice("Azure takes this machine back now")
    end = parsedate_to_datetime(told).timestamp()
    return Notice(f"Azure takes this machine back at {_format_time(end)}", end)


_ASK: dict[str, Callable[[str], Notice | None]] = {
    "aws": _ask_aws,
    "gcp": _ask_gcp,
    "azure": _ask_azure,
}


def _fetch(url: str, headers: dict[str, str], method: str = "GET") -> str | None:
    """What the service answers; None where it has nothing there."""
    request = urllib.request.Request(url, headers=headers, method=method)
    try:
        with _OPENER.open(request, timeout=_ANSWER_SECONDS) as answer:
            content: bytes = answer.read(_MOST_BYTES)
            return content.decode()
    except HTTPError as error:
        if error.code == _NOT_FOUND:
            return None
        raise


def _format_time(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%H:%M:%S} UTC"
