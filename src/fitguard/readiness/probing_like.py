"""`fitguard probe --like train.py`: the kernels that a script uses, probed alone."""

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from fitguard.environment.doctor import gather_facts
from fitguard.memory.fit_call.functions import parse_reference
from fitguard.probes.devices import ALL, Device
from fitguard.probes.probing import Tell, run_probes
from fitguard.probes.registry import Probe, gates
from fitguard.probes.target import layer
from fitguard.readiness.kernel import FitKernels, Kernel
from fitguard.readiness.reproducing import write_reproduction
from fitguard.readiness.request import Answer, FitOptions
from fitguard.readiness.script import ask_child
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.probe import Level, ProbeReport

PREFIX = "like/"
_SECONDS = 5.0
_MEMORY_BYTES = 64 * 2**30
_LONGEST_NAME = 50
_XLA = (
    "On a GPU, XLA compiles the step of this script. The kernels were probed without it; `--level "
    "medium` probes them compiled as well."
)


def probe_like(
    reference: str,
    arguments: Sequence[str] = (),
    *,
    python: str,
    level: Level = "quick",
    device: str = ALL,
    only: Sequence[str] = (),
    minutes: float | None = None,
    environment: Mapping[str, str] | None = None,
    tell: Tell = lambda *_: None,
    stop: Callable[[], bool] = lambda: False,
    devices: Sequence[Device] | None = None,
    with_stdin: bool = False,
) -> ProbeReport:
    """Probe the layers that a script trains with, on their real shapes and types.

    Args:
        reference: FILE.py, or FILE.py:FUNCTION.
        arguments: Of the script itself.
        python: The interpreter that trains; it has fitguard.
        only: Names of probes, as an earlier report has them.
        minutes: When no further probe is begun.
        with_stdin: Whether the script may read the standard input of this process.

    Raises:
        UsageError: where the script makes no call of `fit`, or no layer of it can be probed.
        UnreadableInput: where there is no such script, or it fails before its first `fit`.
    """
    began = time.monotonic()
    parse_reference(reference)
    tell(f"looking at {reference}", 0.0, 0.0)
    answers, death = ask_child(
        python, reference, arguments, FitOptions(), None, with_stdin=with_stdin, task="kernels"
    )
    fits = [answer.kernels for answer in answers if answer.kernels is not None]
    _require_fits(reference, fits, answers, death)
    kernels = _select(name_kernels(fits), only)
    left_out = list(dict.fromkeys(line for fit in fits for line in fit.left_out))
    if not kernels:
        raise UsageError(
            f"Received {reference}, of which no layer can be probed. {' '.join(left_out)}"
        )
    report = run_probes(
        level=level,
        device=device,
        minutes=None if minutes is None else minutes - (time.monotonic() - began) / 60,
        python=python,
        environment=environment,
        tell=tell,
        stop=stop,
        devices=devices,
        # That TensorFlow can be imported is known by now.
        probes=[*gates()[1:], *(_declare(name, one) for name, one in kernels.items())],
    )
    notes = [*report.notes, *left_out, *(note for answer in answers for note in answer.notes)]
    on_gpu = report.devices[0].label != "CPU"
    if on_gpu and level == "quick" and any(one.xla for one in kernels.values()):
        notes.append(_XLA)
    failures = {one.name: one for one in report.failures if one.name in kernels}
    facts = gather_facts(python) if failures else None
    return msgspec.structs.replace(
        report,
        like=reference,
        notes=tuple(notes),
        seconds=round(time.monotonic() - began, 1),
        reproductions=tuple(
            write_reproduction(kernels[name], result, facts)
            for name, result in failures.items()
            if facts is not None
        ),
    )


def name_kernels(fits: Sequence[FitKernels]) -> dict[str, Kernel]:
    """All kernels by the names of their probes; what two fits share comes once."""
    named: dict[str, Kernel] = {}
    for fit in fits:
        for kernel in fit.kernels:
            alike = [one for one in named.values() if one.identity == kernel.identity]
            if alike:
                continue
            name = first = PREFIX + kernel.name[:_LONGEST_NAME]
            number = 1
            while name in named:
                number += 1
                name = f"{first}-{number}"
            named[name] = kernel
    return named


def _select(kernels: dict[str, Kernel], only: Sequence[str]) -> dict[str, Kernel]:
    unknown = [name for name in only if name not in kernels]
    if unknown:
        raise UsageError(
            f"Received --only {' '.join(unknown)}. Expected names of probes: {', '.join(kernels)}"
        )
    return {name: one for name, one in kernels.items() if not only or name in only}


def _declare(name: str, kernel: Kernel) -> Probe:
    return Probe(
        name=name,
        level="quick",
        seconds=_SECONDS,
        limit_seconds=layer.LIMIT_SECONDS,
        memory_bytes=_MEMORY_BYTES,
        options={"layer": msgspec.to_builtins(kernel)},
        summary=f"The layer {kernel.name} computes what it should.",
    )


def _require_fits(
    reference: str, fits: Sequence[FitKernels], answers: Sequence[Answer], death: str
) -> None:
    if fits:
        return
    failure = death or next((one.failure for one in answers if one.failure), "")
    if failure:
        raise UnreadableInput(f"{reference} did not reach its fit: {failure}")
    told = [one.refusal or one.unreached for one in answers if one.refusal or one.unreached]
    raise UsageError(" ".join(told) or f"{reference} ends without a call of fit")
