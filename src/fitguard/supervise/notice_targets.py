"""Where notices go: a webhook, a command, a function. An address opens what it names: a secret."""

import re
from collections.abc import Callable, Sequence
from typing import TypeGuard
from urllib.parse import urlsplit

import msgspec

from fitguard.schema.exit_codes import UsageError
from fitguard.schema.notice import RunNotice

Target = str | Callable[[RunNotice], object]
"""An address, a command for the shell, or a function."""

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_UNFIT = re.compile(r"[\x00-\x20\x7f]")
_SLACK = ("hooks.slack.com", "hooks.slack-gov.com")
_ANSWER_SECONDS = 10.0
_MOST_BYTES = 4096
_TOO_MANY, _SERVER_FAULT = 429, 500
_SLACK_MEANS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Undelivered(Exception):
    """A webhook did not take a notice; the message holds nothing of its address.

    Attributes:
        later: Whether it may take it later.
    """

    def __init__(self, why: str, *, later: bool) -> None:
        super().__init__(why)
        self.later = later


def read_targets(given: Sequence[Target]) -> tuple[Target, ...]:
    """What `notify` was given, once it is sure that it can be used.

    Raises:
        UsageError: where it cannot; the message does not show it.
    """
    for target in given:
        if not isinstance(target, str):
            continue
        scheme = _ADDRESS.match(target)
        if not target.strip():
            raise UsageError("Received --notify without a target. Expected a command or an address")
        if scheme and not _is_fit(target, scheme[1]):
            raise UsageError(
                f"Received --notify with an address that begins with {scheme[1]}://. Expected "
                "https://HOST/…, http://HOST/…, or a command for the shell"
            )
    return tuple(given)


def is_webhook(target: Target) -> TypeGuard[str]:
    """Whether it is an address."""
    return isinstance(target, str) and _ADDRESS.match(target) is not None


def post_notice(address: str, notice: RunNotice) -> None:
    """Send a notice to a webhook, in Slack's form where it is one of Slack's.

    Raises:
        Undelivered: where it was not taken.
    """
    # Loaded only now: most runs speak to no network.
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """A notice goes where the user sent it, and nowhere else."""

        def redirect_request(self, *_: object) -> None:
            return None

    headers = {"Content-Type": "application/json", "User-Agent": "fitguard"}
    request = Request(address, _format_body(address, notice), headers, method="POST")
    try:
        with build_opener(Stay).open(request, timeout=_ANSWER_SECONDS) as answer:
            answer.read(_MOST_BYTES)
    except HTTPError as error:
        error.close()
        later = error.code == _TOO_MANY or error.code >= _SERVER_FAULT
        raise Undelivered(f"it answered with HTTP status {error.code}", later=later) from None
    except (OSError, HTTPException) as error:
        # Not what it says: that may quote the address.
        reason = getattr(error, "reason", error)
        why = getattr(reason, "strerror", None) or type(reason).__name__
        name = urlsplit(address).hostname or ""
        raise Undelivered(type(reason).__name__ if name in why else why, later=True) from None


def as_variables(notice: RunNotice) -> dict[str, str]:
    """What a command finds in its environment."""
    return {
        f"FITGUARD_NOTICE_{name.upper()}": str(getattr(notice, name) or "")
        for name in ("event", "run", "attempt", "text", "outcome", "cause", "code", "severity")
    }


def _is_fit(address: str, scheme: str) -> bool:
    try:
        named = urlsplit(address).hostname
    except ValueError:
        return False
    return bool(named) and scheme.lower() in ("http", "https") and not _UNFIT.search(address)


def _format_body(address: str, notice: RunNotice) -> bytes:
    parts = urlsplit(address)
    # Discord takes Slack's form at an address that ends so.
    if parts.hostname not in _SLACK and not parts.path.endswith("/slack"):
        return msgspec.json.encode(notice)
    reason = f"\n{notice.why}" if notice.why else ""
    text = f"{notice.run}: {notice.text}{reason}".translate(_SLACK_MEANS)
    return msgspec.json.encode({"text": text})
