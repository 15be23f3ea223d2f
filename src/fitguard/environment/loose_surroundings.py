"""What people say of a container, of how TensorFlow was installed, and of the processor."""

import re

import msgspec

from fitguard.environment.given import Given
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Cpu
from fitguard.schema.software import Package, Packages

KEYS = ("container", "install", "cpu")
"""Keys that only a loose reading knows: no version, and never quite clear."""

_RUNTIMES = (
    ("kubernetes", r"kube|\bk8s\b|\bpods?\b|\b(?:eks|gke|aks)\b|openshift"),
    ("singularity", r"singularity|apptainer|\.sif\b"),
    ("podman", r"podman"),
    ("lxc", r"\blx[cd]\b|proxmox ct"),
    # Colab and its like run every notebook in a container of docker's.
    (
        "docker",
        r"docker|\bcontainers?\b|\bimages?\b|colab|kaggle|sagemaker|runpod|codalab|gradient",
    ),
    # The names of images: nvidia/tensorflow:19.08-py3, tensorflow/tensorflow:2.10.0-gpu
    ("docker", r"^(?:[\w.-]{1,60}/){1,4}[\w.-]{1,60}:[\w.-]+|\d-gpu(?:-|\b)"),
)
_OUTSIDE = re.compile(r"(?:none|no|not|bare[ -]?metal|host|native)\b", re.IGNORECASE)
_BY_CONDA = re.compile(r"conda(?:-forge)?\b(?!.*\bpip)", re.IGNORECASE)
# What is taken for granted where nothing else is said.
_PLAINLY = re.compile(r"pip\d?\b|python -m pip", re.IGNORECASE)
_SSE_ONLY = ("sse4_1", "sse4_2")
_NO_AVX = re.compile(
    r"(?:no|without|lacks?|lacking|missing|not support\w*|n't support|not have) avx(?![\d-])"
    r"|sse4?[._]?\d? only|only sse|avx(?:: ?| is | are )?(?:no\b|not |missing|unsupported)",
    re.IGNORECASE,
)
_NO_AVX2 = re.compile(r"\bno avx2|without avx2|avx only|no fma|lacks? avx2", re.IGNORECASE)
# Celeron and Pentium have AVX from the twelfth generation on: G6900, G7400, 7305, 8505.
_MODELS_WITHOUT_AVX = re.compile(
    r"\b(?:celeron|pentium)\b(?!.*\b(?:g69|g74|73\d\d|85\d\d))|\batom\b|\bcore ?2\b|\bphenom"
    r"|\bathlon (?:ii|64|x2)|\b(?:xeon )?[xelw][35][56]\d\d\b|\bi[357][- ][4-9]\d\d[a-z]{0,2}\b"
    r"|nehalem|westmere|silvermont|goldmont|qemu ?64|kvm ?64",
    re.IGNORECASE,
)


def is_known_value(key: str, text: str) -> bool:
    """Whether the value says anything that is known here."""
    if key == "container":
        return _container(text, "") is not None
    if key == "install":
        return bool(read_install_keys(text) or _BY_CONDA.match(text) or _PLAINLY.match(text))
    return True


def read_install_keys(text: str) -> dict[str, str]:
    """The doctor's keys that a way of installing tells."""
    found = re.search(r"(?<![\w/@-])tensorflow-(?:cpu|gpu)(?![\w-])", text.lower())
    keys = {"package": found[0]} if found else {}
    return {**keys, "extras": "and-cuda"} if "and-cuda" in text.lower() else keys


def add_surroundings(facts: Facts, given: Given) -> Facts:
    """The facts of a machine, and what surrounds TensorFlow there."""
    if (text := given.get("container")) is not None:
        container = _container(text, given.origin("container"))
        facts = msgspec.structs.replace(facts, container=container)
    if (text := given.get("cpu")) is not None:
        facts = msgspec.structs.replace(facts, cpu=_processor(text, given.origin("cpu")))
    if _BY_CONDA.match(given.get("install", "")):
        return _of_conda(facts, given.origin("install"))
    return facts


def _container(text: str, origin: str) -> Container | None:
    """The runtime; a container without one where it is said that there is none."""
    if _OUTSIDE.match(text):
        return Container(evidence=origin)
    lower = text.lower()
    runtime = next((name for name, words in _RUNTIMES if re.search(words, lower)), None)
    return Container(runtime, origin) if runtime else None


def _processor(text: str, origin: str) -> Cpu:
    """The model, and the instruction sets where the text or the model tells them."""
    features: tuple[str, ...] | None = None
    if _NO_AVX.search(text) or (_MODELS_WITHOUT_AVX.search(text) and "avx" not in text.lower()):
        features = _SSE_ONLY
    elif _NO_AVX2.search(text):
        features = (*_SSE_ONLY, "avx")
    return Cpu(model=text, features=features, origin=origin)


def _of_conda(facts: Facts, origin: str) -> Facts:
    """The facts, in which TensorFlow is conda's."""
    tensorflow = facts.tensorflow
    if tensorflow is None or tensorflow.package is not None:
        return facts
    built = Package(name="tensorflow", version=tensorflow.version, installer="conda", origin=origin)
    found = facts.packages.found if facts.packages else ()
    return msgspec.structs.replace(facts, packages=Packages(found=(*found, built)))
