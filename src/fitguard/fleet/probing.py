"""Probes a card that looks sick, in a task of Ray that has the card for itself."""

import os
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.facts import child_process
from fitguard.fleet.trainer import select_variables
from fitguard.schema.exit_codes import ExitCode
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
    words = [sys.executable, *words_to_run("fitguard"), "probe", "--level=quick", "--format=json"]
    ended = child_process.run(words, select_variables(os.environ), _PROBE_SECONDS)
    if ended.exit_code == ExitCode.FINE:
        return ""
    if ended.timed_out:
        return f"no answer within {_PROBE_SECONDS:.0f} seconds"
    try:
        report = msgspec.json.decode(ended.stdout, type=ProbeReport)
    except msgspec.DecodeError:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        return said[-1] if said else f"exit code {ended.exit_code}"
    return ", ".join(f"{failed.name} ({failed.status})" for failed in report.failures)
