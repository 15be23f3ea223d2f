"""Probes a card that looks sick, in a task of Ray that has the card for itself."""

from collections.abc import Mapping
from typing import Any

import msgspec

from fitguard.fleet.asking import ask_here
from fitguard.schema.probe import ProbeReport

_PROBE_SECONDS = 600.0


def ask_probe(place: Mapping[str, Any]) -> Any:
    """Ray's promise of what `probe_card` answers.

    Args:
        place: Options of Ray for a task on the card.
    """
    import ray

    return ray.remote(probe_card).options(max_retries=0, **place).remote()


def probe_card() -> str:
    """What is wrong with the card that Ray gave to this process; empty for nothing."""
    told = ask_here(("probe", "--level=quick", "--format=json"), _PROBE_SECONDS)
    if told["problem"]:
        return told["problem"]
    try:
        report = msgspec.json.decode(told["text"], type=ProbeReport)
    except msgspec.DecodeError as error:
        return f"what `fitguard probe` answered cannot be read: {error}"
    return ", ".join(f"{failed.name} ({failed.status})" for failed in report.failures)
