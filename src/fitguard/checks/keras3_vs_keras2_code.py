"""`tf.keras` is Keras 3, and something here needs Keras 2."""

from collections.abc import Iterator

from fitguard import shell
from fitguard.checks.derived import keras_packages
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.keras import Keras2Package
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Package, Packages
from fitguard.schema.versions import parse

_SWITCH = "TF_USE_LEGACY_KERAS"
# The values that TensorFlow takes for yes (tensorflow/__init__.py).
_ON = ("1", "true", "True")
# Mostly used with PyTorch; beside it nothing shows that its TensorFlow models are wanted.
_TORCH_FIRST = ("transformers",)


@check("FG112", "keras3-vs-keras2-code")
def keras3_vs_keras2_code(
    release: Release, packages: Packages, facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    """
    ## What it means
    Since TensorFlow 2.16 `tf.keras` is Keras 3. Code and packages written for Keras 2 get it back
    through the package `tf-keras` *and* the variable `TF_USE_LEGACY_KERAS=1`: the package alone
    changes nothing, the variable alone breaks `tf.keras`.

    ## Why training crashes
    With the variable and without the package, the first use of `tf.keras` stops with *Keras cannot
    be imported. Check that it is installed*. With Keras 2 code on Keras 3 the errors are many:
    *module 'keras.utils' has no attribute 'generic_utils'*, *Only instances of keras.Layer can be
    added to a Sequential model*, *A KerasTensor cannot be used as input to a TensorFlow function*,
    *File format not supported* for an old `.h5` or SavedModel.

    ## How to fix it
    Install the `tf-keras` of TensorFlow's own minor and set `TF_USE_LEGACY_KERAS=1` before Python
    starts (or in `os.environ` before the first import of TensorFlow). Or stay with TensorFlow 2.15,
    whose `tf.keras` is Keras 2. Porting the code to Keras 3 is the lasting way.

    ## When this is wrong
    Code that imports `tf_keras` by name needs no variable. A script may set the variable itself
    before it imports TensorFlow; the check sees only the environment. `transformers` beside PyTorch
    is left alone, because it then hardly uses TensorFlow.

    ## References
    - Keras, backwards compatibility: <https://keras.io/getting_started/>
    - TensorFlow 2.16 release notes
    - keras-team/tf-keras: <https://github.com/keras-team/tf-keras>
    """
    if release.keras_kind != "keras3":
        return
    if (facts.environment or {}).get(_SWITCH) in _ON:
        yield from _switch_without_package(release, packages, facts, knowledge)
        return
    needing = tuple(_needing(packages, facts, knowledge))
    if needing:
        yield _packages_finding(needing, release, facts, knowledge)
    else:
        yield from _package_without_switch(release, packages, facts, knowledge)


def _switch_without_package(
    release: Release, packages: Packages, facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    if not packages.complete or packages.first("tf-keras") is not None:
        return
    wanted = keras_packages.fitting_tf_keras(release, knowledge)
    value = (facts.environment or {})[_SWITCH]
    yield Finding(
        title=f"{_SWITCH} is set, but tf-keras is not installed: tf.keras cannot be imported",
        evidence=(
            Evidence(f"{_SWITCH}={value}", "environment variable"),
            Evidence("tf-keras is not installed", _place(facts)),
        ),
        fix=Fix(
            text=f"Install tf-keras of TensorFlow's own minor, or unset {_SWITCH} if the code is "
            "written for Keras 3.",
            commands=remedies.pip_install(facts, wanted or "tf-keras"),
        ),
    )


def _needing(
    packages: Packages, facts: Facts, knowledge: Knowledge
) -> Iterator[tuple[Package, Keras2Package]]:
    """Installed packages that need Keras 2 and do not get it."""
    for row in knowledge.keras.keras2_packages.rows:
        package = packages.first(row.package)
        if package is None or package.version is None:
            continue
        if row.below and parse(package.version) >= parse(row.below):
            continue
        if row.package in _TORCH_FIRST and packages.first("torch") is not None:
            continue
        lacking = packages.complete and packages.first(row.needs) is None
        if lacking if row.needs else facts.environment is not None:
            yield package, row


def _packages_finding(
    needing: tuple[tuple[Package, Keras2Package], ...],
    release: Release,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding:
    first = needing[0][0]
    more = f" and {len(needing) - 1} more" if len(needing) > 1 else ""
    wanted = keras_packages.fitting_tf_keras(release, knowledge) or "tf-keras"
    commands = [*remedies.pip_install(facts, wanted)]
    if any(not row.needs for _, row in needing):
        commands.append(shell.set_variable(facts, _SWITCH, "1"))
    return Finding(
        severity="warning",
        confidence="medium",
        title=f"{first.name} {first.version}{more} needs Keras 2, and tf.keras of TensorFlow "
        f"{release.version} is Keras 3",
        evidence=tuple(
            Evidence(f"{package.name} {package.version}: {row.reason}", package.origin)
            for package, row in needing
        ),
        fix=Fix(
            text="Give it Keras 2 through tf-keras, or stay with TensorFlow 2.15, the last whose "
            "tf.keras is Keras 2.",
            commands=tuple(commands),
        ),
    )


def _package_without_switch(
    release: Release, packages: Packages, facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    package = packages.first("tf-keras")
    if package is None or not package.requested or _has_user(packages, knowledge):
        return
    known = facts.environment is not None
    evidence = [Evidence(f"tf-keras {package.version}, asked for by name", package.origin)]
    if known:
        evidence.append(Evidence(f"{_SWITCH} is not set", "environment variables"))
    yield Finding(
        severity="warning" if known else "info",
        confidence="medium",
        title=f"tf-keras is installed, but tf.keras of TensorFlow {release.version} is Keras 3 "
        f"without {_SWITCH}=1",
        evidence=tuple(evidence),
        fix=Fix(
            text="Set the variable before TensorFlow is imported, or import tf_keras by name in "
            "the code.",
            commands=(shell.set_variable(facts, _SWITCH, "1"),),
        ),
    )


def _has_user(packages: Packages, knowledge: Knowledge) -> bool:
    """Whether tf-keras is there for a package that imports it by name."""
    rows = knowledge.keras.keras2_packages.rows
    return any(row.needs == "tf-keras" and packages.first(row.package) for row in rows)


def _place(facts: Facts) -> str:
    return (facts.python.executable or facts.python.origin) if facts.python else "this Python"
