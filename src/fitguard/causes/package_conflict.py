"""Python packages do not fit together, or not to this Python or this system."""

from fitguard.causes.derived.bringing_cuda import release_of
from fitguard.causes.derived.package_clashes import clashes
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Finding, Fix

_FINDINGS = (
    "protobuf-too-new",
    "protobuf-too-old",
    "numpy2-abi",
    "numpy-too-new",
    "keras-too-new-for-tf",
    "keras-too-old-for-tf",
    "tf-keras-minor-mismatch",
    "keras3-vs-keras2-code",
    "package-duplicate",
    "package-broken",
    "package-removed",
    "tensorflow-missing",
    "tensorflow-shadowed",
    "python-too-new",
    "python-too-old",
    "extra-uninstallable",
    "tensorflow-import-fails",
)
_WHY = {
    "protobuf-rejects-code": "The installed protobuf does not accept the code that TensorFlow, or "
    "another package, was generated with.",
    "numpy-binary-mismatch": "A package was compiled for another NumPy than the one installed.",
    "numpy-name-removed": "The code uses a name that this NumPy no longer has.",
    "symbolic-tensor-to-numpy": "NumPy was called on a tensor of a graph, as TensorFlow up to 2.4 "
    "does with NumPy 1.20 and later.",
    "h5py-text-not-bytes": "h5py 3 gives text where this old Keras expects bytes.",
    "keras-wants-other-tensorflow": "A package says itself that the installed TensorFlow or Keras "
    "is not the one it needs.",
    "keras-kinds-mixed": "Objects of two kinds of Keras (keras, tf.keras, tf_keras) were mixed.",
    "model-of-other-keras": "The model was saved by another version of Keras, or of Python.",
    "metric-registered-twice": "Two copies of Keras were loaded side by side.",
    "symbol-of-other-tensorflow": "A compiled extension was built for another TensorFlow.",
    "no-such-wheel": "There is no such package for this Python or this system.",
    "old-runtime-of-the-system": "The package was built for a newer system than this one.",
    "dll-not-found": "A DLL is missing; from TensorFlow 2.1 on most often one of Microsoft's "
    "Visual C++ runtime.",
    "dll-of-other-machine": "The package is for 64-bit Python, and this Python is not.",
}


@cause("package-conflict")
def package_conflict(story: Story) -> Verdict | None:
    """
    ## What it means
    TensorFlow, Keras, NumPy, protobuf, h5py, tensorboard and the packages on top of them belong
    together in certain versions. pip does not undo what a later install changed, wheels of old
    releases set no upper bounds, and two copies of a package can lie in one environment. The import
    then stops (*cannot import name*, *has no attribute*, *Descriptors cannot be created directly*,
    *_ARRAY_API not found*), or a call or a saved model does.

    ## How to be sure
    - The traceback ends in a package's own files (`site-packages/tensorflow`, `keras`,
      `google/protobuf`), not in your code.
    - `python -m pip check` names packages whose demands are not met; `fitguard doctor` knows those
      that the wheels forgot to demand.
    - In a new, empty environment with TensorFlow alone, the import works.

    ## How to fix it
    Install the one package that does not fit in a version that does: NumPy below 2 for TensorFlow
    before 2.18, protobuf below 3.21 before 2.12, h5py 2.10 for Keras before 2.4, the keras of
    TensorFlow's own minor, `tf-keras` with TF_USE_LEGACY_KERAS=1 for code of Keras 2. If several
    clash, a new environment is faster than repairing the old one.

    ## When this reading is wrong
    Code of your own that imports a name which never existed fails with the same words. A file
    called `tensorflow.py` or `keras.py` in the working folder hides the package. On Windows *DLL
    load failed* can also be a missing CUDA (TensorFlow before 2.1) or a processor without AVX.

    ## References
    - pip, dependency resolution; NumPy 2.0 migration guide; Protocol Buffers news of 2022
    - Keras 3 and tf-keras: <https://keras.io/getting_started/>
    """
    found = clashes(story)
    finding = story.finding(*_FINDINGS)
    scales = Scales()
    for signal, weight in found[:3]:
        scales.add(weight, signal)
    if finding is not None:
        stopped = next(iter(story.role("stop")), None)
        if found:
            scales.add(0.4, finding)
        elif stopped is not None and stopped.name == "exception":
            scales.add(0.35, stopped, finding)
    first = found[0][0] if found else None
    return scales.verdict(why=_why(story, first, finding), fix=_fix(story, first, finding))


def _why(story: Story, first: Signal | None, finding: Finding | None) -> str:
    if finding is not None:
        return f"{finding.title}."
    if first is None:
        return "The versions of the installed packages do not fit together."
    module, name = first.values.get("module"), first.values.get("name")
    if first.name == "module-not-installed" and _is_backend(story, module):
        return (
            f"Keras is told to compute with {module}, and {module} is not installed: the variable "
            f"KERAS_BACKEND={module} says so, or `backend` in ~/.keras/keras.json."
        )
    if first.name == "module-not-installed":
        return f"{module} is not there, or not in the version that is installed."
    if name:
        where = f"{module} has" if module else "The package has"
        return f"{where} no {name} in the version that is installed."
    return _WHY.get(first.name, "The versions of the installed packages do not fit together.")


def _fix(story: Story, first: Signal | None, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    module = first.values.get("module") if first is not None else None
    if _is_backend(story, module):
        return Fix(
            text="Unset KERAS_BACKEND, or set it to tensorflow, which is what fitguard guards; or "
            f"install {module}.",
            commands=("export KERAS_BACKEND=tensorflow", f"python -m pip install {module}"),
        )
    special = _REMEDIES.get(first.name) if first is not None else None
    if special is not None:
        return special
    release = release_of(story) or knowledge().tensorflow.newest
    keras = f", keras{release.keras}" if release.keras else ""
    numpy = f", numpy{release.numpy}" if release.numpy else ""
    return Fix(
        text="See which packages clash, then install them in versions that belong together: "
        f"TensorFlow {release.version} goes with Python {release.pythons[0]} to "
        f"{release.pythons[-1]}{keras}{numpy}. A new environment is often the shorter way.",
        commands=("python -m pip check", "fitguard doctor"),
    )


def _is_backend(story: Story, module: str | None) -> bool:
    """Whether Keras 3 wanted that module to compute with."""
    chosen = story.first("keras-backend-chosen")
    return chosen is not None and module == chosen.values["backend"]


_REMEDIES = {
    "protobuf-rejects-code": Fix(
        text="Up to TensorFlow 2.11 install protobuf 3.20; for newer ones let pip choose again by "
        "reinstalling that TensorFlow.",
        commands=("python -m pip check", 'python -m pip install "protobuf<3.21"'),
    ),
    "numpy-binary-mismatch": Fix(
        text="Install NumPy 1 (TensorFlow before 2.18 was compiled for it), or a TensorFlow that "
        "was compiled for NumPy 2.",
        commands=('python -m pip install "numpy<2"',),
    ),
    "symbolic-tensor-to-numpy": Fix(
        text="Install NumPy 1.19 (up to TensorFlow 2.4), or a newer TensorFlow. If the line is in "
        "your own code, use TensorFlow's function instead of NumPy's.",
        commands=('python -m pip install "numpy<1.20"',),
    ),
    "h5py-text-not-bytes": Fix(
        text="Install h5py 2.10 beside this Keras, or a newer Keras.",
        commands=('python -m pip install "h5py<3"',),
    ),
    "keras-kinds-mixed": Fix(
        text="Import everything from one Keras only: all from `tensorflow.keras`, or all from "
        "`keras`. Packages that need Keras 2 want tf-keras and TF_USE_LEGACY_KERAS=1.",
        commands=("python -m pip list",),
    ),
    "no-such-wheel": Fix(
        text="Use a Python that this release has wheels for, or a release that has wheels for your "
        "Python; 32-bit Pythons have none.",
        commands=("python --version", "fitguard resolve"),
    ),
    "dll-not-found": Fix(
        text="Install Microsoft's current Visual C++ redistributable (x64). For TensorFlow before "
        "2.1 with a GPU, install the CUDA and cuDNN that it was built with, with their bin folders "
        "on PATH.",
        commands=("fitguard doctor",),
    ),
    "old-runtime-of-the-system": Fix(
        text="Use a release of the package built for this system, a container, or conda's builds, "
        "which bring a libstdc++ of their own; a newer glibc comes only with a newer system.",
        commands=("ldd --version",),
    ),
}
