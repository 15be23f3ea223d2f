"""The keras package is older than this TensorFlow can work with."""

from fitguard.checks.derived import keras_packages
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Confidence, Evidence, Finding, Fix, Severity
from fitguard.schema.software import Package
from fitguard.schema.versions import Version, parse


@check("FG110", "keras-too-old-for-tf")
def keras_too_old_for_tf(
    keras: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    Keras uses parts of TensorFlow that this release has removed, or lacks what `tf.keras` looks for
    in it. From TensorFlow 2.6 on `tf.keras` *is* the package `keras`: of the same minor up to
    2.15, Keras 3 from 2.16 on.

    ## Why training crashes
    Keras 2.15 on TensorFlow 2.16 and later: `tf.keras` stops with *module
    'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'register_load_context_function'*.
    Keras 2.3.1 on TensorFlow 2.3 and later: *module 'tensorflow.python.framework.ops' has no
    attribute '_TensorLike'*. Keras 2.2 on TensorFlow 2: *module 'tensorflow' has no attribute
    'get_default_graph'*. Keras 2.8 on TensorFlow 2.10: *module
    'tensorflow.compat.v2.__internal__.tracking' has no attribute 'TrackableSaver'*.

    ## How to fix it
    Install the Keras that goes with this TensorFlow. For code that is written for Keras 2, on
    TensorFlow 2.16 or later, add `tf-keras` of TensorFlow's own minor and set
    `TF_USE_LEGACY_KERAS=1`, or stay with TensorFlow 2.15.

    ## When this is wrong
    Neighbors often work: Keras 2.9 on TensorFlow 2.10.1, 2.13 and 2.14 on 2.15.1, and 3.0 on
    2.17.1, 2.18.1, 2.20.0 and 2.21.0 were measured with a small model and trained. Such pairs are a
    warning: the wheel excludes them, and pip complains. On TensorFlow 1.4 to 2.5 a script that uses
    `tf.keras` alone does not notice the package.

    ## References
    - PyPI wheel METADATA of `tensorflow` (since 2.6) and `keras`
    - Keras, backwards compatibility: <https://keras.io/getting_started/>
    """
    version = keras.version or ""
    if knowledge.keras.fit(version, release) != "too-old":
        return None
    wanted = keras_packages.fitting_keras(release, knowledge)
    severity, confidence = _weight(keras, release, knowledge)
    return Finding(
        severity=severity,
        confidence=confidence,
        title=f"Keras {version} is too old for TensorFlow {release.version}, which goes with "
        f"{wanted}",
        evidence=(
            Evidence(f"keras {version}", keras.origin),
            keras_packages.proof(keras, release, knowledge),
        ),
        fix=Fix(
            text=f"Install {wanted}.{_for_keras_2_code(keras, release, knowledge)}"
            f"{keras_packages.describe_bundled_keras(release)}",
            commands=remedies.pip_install(facts, wanted),
        ),
    )


def _weight(keras: Package, release: Release, knowledge: Knowledge) -> tuple[Severity, Confidence]:
    """Neighbors within one generation are excluded by the wheel, but were seen to work."""
    version = parse(keras.version or "0")
    row = knowledge.keras.row(keras.version or "0")
    near_keras3 = release.keras_kind == "keras3" and version >= (3,)
    near_keras2 = release.keras_kind == "keras2" and _neighbour(version, release)
    if near_keras3 or near_keras2:
        return "warning", "medium"
    if release.keras_kind == "bundled" and keras.requested is False:
        return "warning", "high"
    return "error", "medium" if row is not None and row.uncertain else "high"


def _neighbour(version: Version, release: Release) -> bool:
    """One minor behind, or 2.13 and 2.14 under 2.15: 2.8 under 2.10 fails, these train."""
    return (2, release.minor[1] - 1) <= version or version >= (2, 13)


def _for_keras_2_code(keras: Package, release: Release, knowledge: Knowledge) -> str:
    if release.keras_kind != "keras3" or parse(keras.version or "0") >= (3,):
        return ""
    wanted = keras_packages.fitting_tf_keras(release, knowledge) or "tf-keras"
    return (
        f" For code that is written for Keras 2, add {wanted} and set TF_USE_LEGACY_KERAS=1, or "
        "stay with TensorFlow 2.15."
    )
