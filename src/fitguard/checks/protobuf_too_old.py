"""protobuf is older than this TensorFlow needs."""

from fitguard.checks.derived import protobuf_range
from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package
from fitguard.schema.versions import older, parse, text


@check("FG108", "protobuf-too-old")
def protobuf_too_old(
    protobuf: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    TensorFlow carries code that the protobuf compiler made, and the Python package `protobuf` must
    not be older than that compiler. Another package has pulled protobuf down, or it was pinned for
    an older TensorFlow.

    ## Why training crashes
    `import tensorflow` stops. Measured: 1.15.5 with protobuf 3.5.2 says *unexpected keyword
    argument 'serialized_options'*; 2.12.1, 2.15.1 and 2.18.1 with 3.19.6 say *cannot import name
    'builder' from 'google.protobuf.internal'*; 2.20.0 with 3.20.3, 4.25.8 and 5.26.1 says *cannot
    import name 'runtime_version' from 'google.protobuf'*, with 5.27.5 *Detected incompatible
    Protobuf Gencode/Runtime versions … gencode 5.28.3 runtime 5.27.5*. 2.20 asks for 5.28.0 or
    newer but carries code of 5.28.3; 2.21.0 carries code of 6.31.1 and fails with 6.30.2. 2.5.3
    with 3.6.1 imports and then stops in Keras.

    A protobuf below the wheel's bound that can still run the code (3.20.0 to 3.20.2, and 4.21.0 to
    4.21.5, which the wheels of 2.12 to 2.19 exclude) is a warning: some of them have a known
    security hole (CVE-2022-1941).

    ## How to fix it
    Install a protobuf in the range, or take an older TensorFlow if another package needs the old
    protobuf.

    ## When this is wrong
    conda's builds are compiled with conda's own protobuf; the check is skipped for them.

    ## References
    - Protocol Buffers, cross-version guarantees:
      <https://protobuf.dev/support/cross-version-runtime-guarantee/>
    - PyPI wheel METADATA of each release
    """
    version = protobuf.version or ""
    least = protobuf_range.least_that_works(release, knowledge)
    fatal = least is not None and older(parse(version), least)
    outside = protobuf_range.place(version, release) == "too-old"
    if not fatal and not outside:
        return None
    if installs.by_conda(facts):
        raise Missing("conda's solver chooses the protobuf for its own build of TensorFlow")
    return Finding(
        severity="error" if fatal else "warning",
        confidence="high" if fatal else "medium",
        title=f"protobuf {version} is too old for TensorFlow {release.version}"
        + (", which fails with it" if fatal else ", whose wheel excludes it"),
        evidence=(
            Evidence(f"protobuf {version}", protobuf.origin),
            Evidence(
                protobuf_range.describe_requirement(version, release)
                if outside or least is None
                else f"TensorFlow {release.version} carries code of protobuf {text(least)}",
                installs.metadata_source(knowledge),
            ),
        ),
        fix=Fix(
            text="Install a newer protobuf.",
            commands=remedies.pip_install(facts, protobuf_range.fitting(release, knowledge)),
        ),
    )
