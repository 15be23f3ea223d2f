"""protobuf is newer than this TensorFlow can work with."""

from fitguard.checks.derived import protobuf_range
from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package

_PURE_PYTHON = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"


@check("FG107", "protobuf-too-new")
def protobuf_too_new(
    protobuf: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    TensorFlow carries code that the protobuf compiler made. The Python package `protobuf` refuses
    code that is too old for it. The package jumped from 3.20 to 4.21, and from 4.21 on it refuses
    the code in TensorFlow up to 2.11. Most of those releases forgot an upper bound (all before
    2.6.5, 2.7.0 to 2.7.2, 2.8.0, 2.8.1, 2.9.0), so pip takes the newest protobuf without a word.

    ## Why training crashes
    `import tensorflow` stops with *TypeError: Descriptors cannot be created directly. If this call
    came from a _pb2.py file, your generated code is out of date*. Measured: 1.15.5, 2.5.3 and
    2.10.1 fail with protobuf 4.21.0 and are imported with 3.20.3.

    From 2.12 on a protobuf above the wheel's bound is a warning: 2.12.1 and 2.15.1 to 2.17.1 were
    measured with protobuf 5.29 and 6.31, 2.18.1 and 2.19.1 with 6.31 and 7.34, and all ran a small
    model. With 6.33, 2.15.1 and 2.18.1 print *'MessageFactory' object has no attribute
    'GetPrototype'* at the import (2.18.1 with 6.29 does not), and nobody tests these pairs.

    ## How to fix it
    Install a protobuf in the range. If another package needs a newer one, give it an environment
    of its own, or take a newer TensorFlow.

    ## When this is wrong
    With `PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python` protobuf takes the old code, and parses
    many times slower. The check is then skipped, and also for conda's builds, which are compiled
    with conda's own protobuf.

    ## References
    - Protocol Buffers news, 6 May 2022: <https://protobuf.dev/news/2022-05-06/>
    - protocolbuffers/protobuf issue 10051; tensorflow/tensorflow issues 94030 and 109469
    """
    version = protobuf.version or ""
    fatal = protobuf_range.refuses_old_code(version, release, knowledge)
    outside = protobuf_range.place(version, release) == "too-new"
    modern = release.minor >= (2, 12)
    if not fatal and not (outside and modern):
        return None
    if installs.by_conda(facts):
        raise Missing("conda's solver chooses the protobuf for its own build of TensorFlow")
    if fatal and (facts.environment or {}).get(_PURE_PYTHON) == "python":
        raise Missing(f"{_PURE_PYTHON}=python makes protobuf take old code")
    return Finding(
        severity="error" if fatal else "warning",
        confidence="high" if fatal else "medium",
        title=f"protobuf {version} is too new for TensorFlow {release.version}"
        + (": the import fails" if fatal else ", which was never tested with it"),
        evidence=(
            Evidence(f"protobuf {version}", protobuf.origin),
            Evidence(
                protobuf_range.describe_requirement(version, release)
                if outside
                else f"the generated code in TensorFlow {release.version} needs protobuf before 4",
                installs.metadata_source(knowledge),
            ),
        ),
        fix=Fix(
            text="Install a protobuf that this TensorFlow was made for. If another package needs "
            "the newer one, give it an environment of its own.",
            commands=remedies.pip_install(facts, protobuf_range.fitting(release, knowledge)),
        ),
    )
