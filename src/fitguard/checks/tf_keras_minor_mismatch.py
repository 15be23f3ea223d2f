"""tf-keras belongs to another minor version of TensorFlow."""

from fitguard.checks.derived import keras_packages
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.keras import TfKerasFailure
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package
from fitguard.schema.versions import parse, text


@check("FG111", "tf-keras-minor-mismatch")
def tf_keras_minor_mismatch(
    tf_keras: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    `tf-keras` is Keras 2 for TensorFlow 2.15 and later. Each release of it is made for one minor of
    TensorFlow, whose internal functions it calls, and from 2.15.1 on it says so in its metadata.

    ## Why training crashes
    `import tf_keras`, or the first use of `tf.keras` under `TF_USE_LEGACY_KERAS=1`, stops.
    Measured: tf-keras 2.15.1 on TensorFlow 2.16.2 and 2.18.1 says *module
    'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'register_load_context_function'*;
    2.20.1 on 2.18.1 says *cannot import name 'runtime_version' from 'google.protobuf'*.

    ## How to fix it
    Install the `tf-keras` of TensorFlow's own minor: `pip install "tf-keras~=2.18.0"` for 2.18.
    Upgrade both together.

    ## When this is wrong
    `tf-keras` matters only where it is used: with `TF_USE_LEGACY_KERAS=1`, by an `import tf_keras`,
    or by a package such as `transformers` or `tensorflow-probability`. Many pairs work. Measured
    with a small model: tf-keras 2.16 and 2.18 on TensorFlow 2.15.1, 2.17 and 2.19 on 2.16.2, 2.16,
    2.17 and 2.19 on 2.18.1, 2.16, 2.19 and 2.20 on 2.21.0. Such pairs are a warning: pip complains,
    and nobody tests them.

    ## References
    - PyPI METADATA of `tf-keras`
    - keras-team/tf-keras: <https://github.com/keras-team/tf-keras>
    """
    version = tf_keras.version or ""
    minor = parse(version)[:2]
    if len(minor) < 2:
        raise Missing("the minor version of tf-keras is not known")
    if minor == release.minor:
        return None
    row = knowledge.keras.row(version, "tf-keras")
    failure = knowledge.keras.tf_keras_failure(version, release)
    wanted = keras_packages.fitting_tf_keras(release, knowledge)
    return Finding(
        severity="error" if failure else "warning",
        confidence="high" if failure and row and row.tensorflow_min else "medium",
        title=f"tf-keras {version} is made for TensorFlow {text(minor)}, and this is "
        f"{release.version}",
        evidence=(
            Evidence(f"tf-keras {version}", tf_keras.origin),
            Evidence(
                f"tf-keras {version} goes with TensorFlow {text(minor)}",
                knowledge.keras.table.reference + (f" ({row.source})" if row else ""),
            ),
            *_quote_failure(failure, knowledge),
        ),
        fix=_fix(wanted, release, facts),
    )


def _quote_failure(failure: TfKerasFailure | None, knowledge: Knowledge) -> tuple[Evidence, ...]:
    if failure is None:
        return ()
    reference = knowledge.keras.tf_keras_failures.reference
    return (Evidence(failure.error, f"{reference} ({failure.source})"),)


def _fix(wanted: str | None, release: Release, facts: Facts) -> Fix:
    if wanted is None:
        return Fix(
            text=f"There is no tf-keras for TensorFlow {release.version}, and none is needed: its "
            "own tf.keras is Keras 2. Uninstall tf-keras."
        )
    return Fix(
        text="Install the tf-keras of TensorFlow's own minor.",
        commands=remedies.pip_install(facts, wanted),
    )
