"""One trial, from the side of the parent: a child process that runs the step under a limit."""

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.facts import child_process
from fitguard.memory.measuring.confinement import child_environment
from fitguard.memory.measuring.request import Answer, Device, Request, SavedModel, Script
from fitguard.schema.exit_codes import UsageError

LIMIT_SECONDS = 900.0
"""XLA compiles large models for minutes."""

_LAST_LINES = 15


class Silent(Exception):
    """The child gave no answer: it crashed; the message says how."""


class TooSlow(Silent):
    """It was stopped."""


@dataclass(frozen=True, kw_only=True)
class Trials:
    """A step that can be tried under any limit.

    Args:
        folder: For the files that parent and child exchange.
        limit_seconds: When a child is stopped.
        surrounding: The environment of this process.
    """

    step: SavedModel | Script
    batch_size: int
    jit_compile: bool
    folder: Path
    device: Device = "gpu"
    limit_seconds: float = LIMIT_SECONDS
    surrounding: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def run(self, limit_mib: int | None) -> Answer:
        """Run the step in a child.

        Args:
            limit_mib: None for all the memory that there is.

        Raises:
            Silent: where the child did not answer.
            UsageError: where TensorFlow sees no GPU in it.
        """
        name = "room" if limit_mib is None else str(limit_mib)
        answer_file = self.folder / f"answer-{name}.json"
        request = Request(
            step=self.step,
            device=self.device,
            limit_mib=limit_mib,
            batch_size=self.batch_size,
            jit_compile=self.jit_compile,
            answer=str(answer_file),
        )
        request_file = self.folder / f"request-{name}.json"
        request_file.write_bytes(msgspec.json.encode(request))
        answer_file.unlink(missing_ok=True)
        outcome = child_process.run(
            [sys.executable, *words_to_run(self._module), str(request_file)],
            child_environment(self.surrounding, self.device, limit_mib),
            self.limit_seconds,
        )
        if not answer_file.exists():
            raise self._silence(outcome)
        answer = msgspec.json.decode(answer_file.read_bytes(), type=Answer)
        if answer.ended == "no gpu":
            raise UsageError(
                "Received measure=True, but TensorFlow sees no GPU in a child process. Expected a "
                "TensorFlow that uses the GPU of this machine: `fitguard doctor` says what is "
                "missing"
            )
        return answer

    @property
    def _module(self) -> str:
        if isinstance(self.step, Script):
            return self.step.module
        return "fitguard.memory.measuring.child"

    def _silence(self, outcome: child_process.Outcome) -> Silent:
        if outcome.timed_out:
            return TooSlow(f"it was stopped after {self.limit_seconds:g} s")
        code = outcome.exit_code
        known = code is not None and -code in list(signal.Signals)
        how = f"signal {signal.Signals(-(code or 0)).name}" if known else f"exit code {code}"
        lines = outcome.stderr.decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
        return Silent("\n  ".join([f"it ended with {how}. It said last:", *lines]))
