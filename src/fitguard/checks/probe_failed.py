"""A small known computation failed, or its process crashed or hung."""

from collections.abc import Iterator

from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.probe import ProbeResult
from fitguard.schema.software import DeepImport

_LISTING = "list-devices"
_QUOTED_LINES = 4
_WHAT = {
    "fail": "fails",
    "crash": "crashes",
    "timeout": "does not end",
}


@check("FG370", "probe-failed", requires={"FG117"})
def probe_failed(facts: Facts, deep: DeepImport | None = None) -> Iterator[Finding]:
    """
    ## What it means
    With `--deep`, fitguard ran the quick probes of `fitguard probe`: small computations with known
    results, each in a process of its own. One of them gave a wrong result, raised an error, crashed
    or did not end. All versions may fit together, and the GPU still does not compute.

    ## Why training crashes
    It does what the probe does, many times a second. A probe that crashes or hangs stops it at its
    first step, or later. A wrong result is worse: the training goes on, and its numbers are wrong.

    ## How to fix it
    The fix is that of the most likely cause, which the log of the probe was read for.
    `fitguard probe --only NAME --verbose` repeats it and shows the log. If a wrong result is
    another one each time, the GPU is sick: have it replaced. If it is the same each time, it is the
    software: another version of TensorFlow or of the driver.

    ## When this is wrong
    A GPU whose memory others hold has no room for the probe. End them first (FG401).

    ## References
    - `fitguard probe`: what each probe does, and how it is judged
    """
    if not facts.probes:
        raise Missing("nothing was probed (--deep does)")
    # A GPU that TensorFlow does not see is told by FG313, or by its reason.
    unseen = deep is not None and deep.gpus == ()
    for result in facts.probes:
        if result.failed and not (unseen and result.name == _LISTING):
            yield _describe(result)


def _describe(result: ProbeResult) -> Finding:
    source = f"fitguard probe {result.name}"
    causes = result.diagnosis.causes if result.diagnosis is not None else ()
    quoted = [one.text for one in causes[0].evidence] if causes else result.log[-_QUOTED_LINES:]
    # Lines of our own repeat the detail.
    lines = [line for line in quoted if line.strip() and source not in line][:_QUOTED_LINES]
    evidence = [Evidence(result.detail, source)]
    if lines:
        evidence.append(Evidence("\n".join(lines), "the log of the probe"))
    title = f"The probe {result.name} {_WHAT[result.status]} on {result.device}"
    cause = f" ({causes[0].cause})" if causes else ""
    return Finding(
        title=title + cause,
        confidence=causes[0].confidence if causes else "high",
        evidence=tuple(evidence),
        fix=causes[0].fix if causes else _repeat(result),
    )


def _repeat(result: ProbeResult) -> Fix:
    return Fix(
        text="Fix what else stands in this report, then try it again, with its log.",
        commands=(f"fitguard probe --only {result.name} --verbose",),
    )
