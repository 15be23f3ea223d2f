"""The pieces that a SARIF log is put together from."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from fitguard.schema.finding import Evidence, Fix

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

# A source is a sentence; only one that is a path and nothing else names a file.
_PLAIN_PATH = re.compile(r"(?:/|~[\\/]|[A-Za-z]:[\\/])[^\s(),]*")

Json = dict[str, Any]


def log(rules: list[Json], results: list[Json], notices: list[Json], *, successful: bool) -> str:
    """One run.

    Args:
        notices: What must not pass unseen, though it is no result.
        successful: Whether the run did all that it should.
    """
    unseen = {"toolExecutionNotifications": notices} if notices else {}
    run = {
        "tool": {"driver": {"name": "fitguard", **_version(), "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"HOME": {"description": {"text": "The home folder."}}},
        "invocations": [{"executionSuccessful": successful} | unseen],
        "results": results,
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def rule(identifier: str, slug: str, description: str = "") -> Json:
    """What a kind of result means, and where its page is."""
    described = {"text": description or slug.replace("-", " ") or identifier}
    return {
        "id": identifier,
        "name": "".join(word.capitalize() for word in slug.split("-")) or identifier,
        "shortDescription": described,
        "fullDescription": described,
        "help": {"text": f"`fitguard explain {identifier}` shows its page."},
    }


def message(words: Iterable[str], fix: Fix) -> Json:
    """Sentences, then the fix with its commands."""
    remedy = [f"Fix: {fix.text}"] if fix.text else []
    said = [sentence for sentence in words if sentence]
    lines = [*said, *remedy, *(f"$ {command}" for command in fix.commands)]
    return {"text": "\n".join(lines)}


def location(evidence: Evidence) -> Json:
    """Where the evidence is: in words, and in a file if it is in one."""
    found: Json = {
        "message": {"text": evidence.text},
        "logicalLocations": [{"name": evidence.source, "kind": "resource"}],
    }
    if artifact := _artifact(evidence):
        place: Json = {"artifactLocation": artifact}
        if evidence.line is not None and evidence.line > 0:
            place["region"] = {"startLine": evidence.line}
        found["physicalLocation"] = place
    return found


def fingerprint(
    identifier: str, title: str, evidence: Iterable[Evidence], seen: Counter[str]
) -> Json:
    """Equal from run to run though figures change; a number tells equal results of a run apart."""
    figureless = re.sub(r"\d+", "#", title)
    parts = "\0".join([identifier, figureless, *(item.source for item in evidence)])
    digest = hashlib.sha256(parts.encode()).hexdigest()[:32]
    seen[digest] += 1
    return {"fitguard/v1": f"{digest}:{seen[digest]}"}


def _artifact(evidence: Evidence) -> Json | None:
    """The URI of the file: relative to the home folder for `~`, else as the path is."""
    path = evidence.path or (evidence.source if _PLAIN_PATH.fullmatch(evidence.source) else "")
    if not path:
        return None
    if path.startswith(("~/", "~\\")):
        return {"uri": quote(path[2:].replace("\\", "/")), "uriBaseId": "HOME"}
    if path.startswith("/"):
        return {"uri": PurePosixPath(path).as_uri()}
    if re.match(r"[A-Za-z]:[\\/]", path):
        return {"uri": PureWindowsPath(path).as_uri()}
    return {"uri": quote(path.replace("\\", "/"))}


def _version() -> Json:
    try:
        return {"version": version("fitguard")}
    except PackageNotFoundError:  # run from a checkout that was not installed
        return {}
