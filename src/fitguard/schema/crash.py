"""What is known of a run that died: the signals in its logs, how it ended, and the machine."""

from typing import Literal

import msgspec

from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding

Role = Literal["stop", "fallout", "symptom", "context", "healthy", "noise", "words", "clue"]
"""What a line does in the story of a run.

stop: with it the run ends (an exception, an abort, a kill). fallout: with it the run ends too, but
another process failed first, and this line only tells that it is gone or stuck. symptom: something
failed, but the run may go on. context: a fact that is neither good nor bad. healthy: something
works. noise: it looks bad and is harmless. words: a person describes what happened. clue: it tells
of the machine only.
"""


class Line(msgspec.Struct, frozen=True):
    """A line of a log, cleaned: no colours, no control characters, no prefix of a worker.

    Args:
        number: From 1; a line that was overwritten with carriage returns is one line.
        source: The file, as the user named it.
        worker: Who wrote it, where a prefix tells: `1,3` of `[1,3]<stderr>`, `pid=812` of Ray.
    """

    number: int
    text: str
    source: str
    worker: str | None = None


class Signal(msgspec.Struct, frozen=True):
    """A line that means something.

    Args:
        name: Of the signature that knows it.
        order: Its place in the whole story: the smaller, the earlier.
        values: What the named groups of the signature's pattern caught; lower-case keys.
        count: How many lines with this signature there were, in all; on every signal of that name.
    """

    name: str
    role: Role
    text: str
    source: str
    line: int | None = None
    order: int = 0
    worker: str | None = None
    values: dict[str, str] = {}
    count: int = 1

    @property
    def evidence(self) -> Evidence:
        """The line as it is quoted."""
        return Evidence(self.text, self.source, self.line)

    @property
    def ended_by(self) -> str | None:
        """`SIGSEGV`, where the line tells that this signal ended the process.

        The signature says so by a group with the name of the signal: `sigsegv`, `sigsegv_told`.
        """
        named = (key.partition("_")[0].upper() for key in self.values if key.startswith("sig"))
        return next((name for name in named if name != "SIGNAL"), None)


class AllocatorState(msgspec.Struct, frozen=True, kw_only=True):
    """The last words of TensorFlow's allocator, from its dump or from the message alone.

    Args:
        requested_bytes: What was asked for.
        requested_by: The operation that asked.
        shape: Of the tensor, as the error names it.
        limit_bytes: The size of the pool.
        in_use_bytes: What live tensors hold.
        free_bytes: The sum of the free chunks, and of what the pool may still grow.
        largest_free_bytes: The largest free chunk, or what the pool may still grow if that is more.
        repeated_size_bytes: Of the sizes that ten or more live tensors share, the one that holds
            the most memory.
        repeated_count: How many share it.
        used_share: Of the pool, by the numbers or by the map of it.
    """

    allocator: str | None = None
    requested_bytes: int | None = None
    requested_by: str | None = None
    shape: tuple[int, ...] | None = None
    limit_bytes: int | None = None
    in_use_bytes: int | None = None
    free_bytes: int | None = None
    largest_free_bytes: int | None = None
    repeated_size_bytes: int | None = None
    repeated_count: int | None = None
    used_share: float | None = None
    evidence: tuple[Evidence, ...] = ()


class Ending(msgspec.Struct, frozen=True):
    """How the process ended.

    Args:
        exit_code: As the shell or the supervisor gave it: 137, -9, 3221225477.
        signal: `SIGKILL`, where the code or a line tells of one; on Windows the name of the status.
        evidence: Where that is known from.
    """

    exit_code: int | None = None
    signal: str | None = None
    evidence: tuple[Evidence, ...] = ()


class Frame(msgspec.Struct, frozen=True):
    """A call in a Python traceback.

    Args:
        file: As the traceback names it: a path, or `Cell In[5]` of a notebook.
        number: Of the line in that file.
        evidence: The line of the log that tells it.
        own: Whether it is the user's own code, not an installed package or Python itself.
    """

    file: str
    number: int
    evidence: Evidence
    own: bool = False


class Traceback(msgspec.Struct, frozen=True, kw_only=True):
    """The Python error that ended the program.

    Args:
        type: Without its module: `KeyError`.
        frames: The outermost call first.
        run: The id of the guarded run that the error tells of (`TrainingDied`).
    """

    type: str
    message: str
    evidence: Evidence
    frames: tuple[Frame, ...]
    run: str | None = None

    @property
    def raised_in(self) -> Frame:
        """The last call of the user's own code; the last of all where none is."""
        return next((frame for frame in reversed(self.frames) if frame.own), self.frames[-1])


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """All that a cause is judged by.

    Args:
        signals: In their order; of many with one name, the first and the last ones.
        known: The names of all signatures; asking for another is then an error.
        findings: What the doctor says of the facts.
        lines: How many lines were read, of all files.
        sources: What was read: `log`, `kernel log`. What is missing here may be asked for.
    """

    signals: tuple[Signal, ...] = ()
    known: frozenset[str] = frozenset()
    traceback: Traceback | None = None
    allocations: tuple[AllocatorState, ...] = ()
    ending: Ending = Ending()
    facts: Facts = Facts()
    findings: tuple[Finding, ...] = ()
    lines: int = 0
    sources: tuple[str, ...] = ()

    def first(self, *names: str) -> Signal | None:
        """The earliest signal with one of these names."""
        self._require_known(names)
        return next((signal for signal in self.signals if signal.name in names), None)

    def all(self, *names: str) -> tuple[Signal, ...]:
        """Every signal with one of these names."""
        self._require_known(names)
        return tuple(signal for signal in self.signals if signal.name in names)

    def has(self, *names: str) -> bool:
        """Whether there is a signal with one of these names."""
        return self.first(*names) is not None

    def role(self, *roles: Role) -> tuple[Signal, ...]:
        """Every signal in one of these roles."""
        return tuple(signal for signal in self.signals if signal.role in roles)

    def finding(self, *slugs: str) -> Finding | None:
        """The doctor's gravest finding with one of these slugs."""
        return next((finding for finding in self.findings if finding.slug in slugs), None)

    def _require_known(self, names: tuple[str, ...]) -> None:
        unknown = [name for name in names if name not in self.known] if self.known else []
        if unknown:
            raise ValueError(
                f"Received {', '.join(unknown)}. Expected names of knowledge/signatures/*.toml"
            )
