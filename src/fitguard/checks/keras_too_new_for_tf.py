"""The keras package is newer than this TensorFlow can work with."""

from fitguard.checks.derived import keras_packages
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package
from fitguard.schema.versions import parse

# Its `tf.keras` turns into Keras 3 where that is installed, and only Keras 2 code breaks.
_KERAS_3_TAKES_OVER = (2, 15)


@check("FG109", "keras-too-new-for-tf")
def keras_too_new_for_tf(
    keras: Package, release: Release, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """
    ## What it means
    Keras calls functions of TensorFlow that this release does not have yet. What the package
    `keras` is has changed over time: a library of its own beside TensorFlow 1.x to 2.5 (where
    `tf.keras` is built in); the very code of `tf.keras` from 2.6 to 2.15, of one and the same
    minor; Keras 3 from 2.16 on.

    ## Why training crashes
    Keras 2.1.6 to 2.2.5 on TensorFlow 1.4 and older: *softmax() got an unexpected keyword argument
    'axis'*. Keras 2.3 on TensorFlow 1.12 and older: *no attribute 'get_graph'*. Keras 2.13 on
    TensorFlow 2.12: *_variable_v1_call() got an unexpected keyword argument
    'experimental_enable_variable_lifting'*. Keras 3 on TensorFlow 2.6 to 2.14: the first use of
    `tf.keras` stops with *No module named 'keras.api._v2'*. The usual way there is
    `pip install --upgrade keras`.

    On TensorFlow 2.15 `tf.keras` quietly turns into Keras 3, and code that was written for Keras 2
    stops: *keras.optimizers.legacy is not supported in Keras 3*, *Invalid filepath extension for
    saving*.

    Measured: Keras 2.2.4 and 2.1.6 on TensorFlow 1.4.1 (2.1.5 trains there, but its
    `l2_normalize` fails; 2.1.4 works), 2.3.1 on 1.12.0, 2.13.1 on 2.12.1, 3.9 on 2.12 to 2.14, and
    3.0, 3.3 and 3.15 on 2.15.1.

    ## How to fix it
    Install the Keras that goes with this TensorFlow, or a newer TensorFlow. Where `tf.keras` is
    built in (1.4 to 2.5) the package is not needed at all: `from tensorflow import keras`.

    ## When this is wrong
    A script that uses `tf.keras` alone does not notice a wrong `keras` package on TensorFlow 1.4 to
    2.5. On TensorFlow 2.15 code that was written for Keras 3 does train with it, though both sides
    exclude the pair. Which TensorFlow the oldest Keras releases need was read from their code, not
    tested for each pair.

    ## References
    - PyPI wheel METADATA of `tensorflow` (since 2.6) and `keras`
    - keras-team/keras issues 9621 and 11479 (softmax and axis)
    - Keras, compatibility: <https://keras.io/getting_started/>
    """
    version = keras.version or ""
    if knowledge.keras.fit(version, release) != "too-new":
        return None
    wanted = keras_packages.fitting_keras(release, knowledge)
    newer = keras_packages.partners(version, knowledge)
    came_along = release.keras_kind == "bundled" and keras.requested is False
    takes_over = release.minor == _KERAS_3_TAKES_OVER and parse(version) >= (3,)
    return Finding(
        severity="warning" if came_along else "error",
        confidence="medium" if takes_over else "high",
        title=f"Keras {version} is too new for TensorFlow {release.version}, which goes with "
        f"{wanted}",
        evidence=(
            Evidence(f"keras {version}", keras.origin),
            keras_packages.proof(keras, release, knowledge),
        ),
        fix=Fix(
            text=f"Install {wanted}, or use TensorFlow {newer}."
            f"{keras_packages.describe_bundled_keras(release)}",
            commands=remedies.pip_install(facts, wanted),
        ),
    )
