"""Python packages that do not fit together."""

import pytest
from causes.tell import tell

BACKEND = """
  File "/env/lib/python3.11/site-packages/keras/src/backend/jax/core.py", line 5, in <module>
    import jax
ModuleNotFoundError: No module named 'jax'
"""

PACKAGE_CONFLICT = [
    (
        "TypeError: Descriptors should not be created directly, but only retrieved from "
        "their parent.",
        {},
    ),
    ('ValueError: Message type "object_detection.protos.Ssd" has no field named "freeze".', {}),
    ("pip finds no tensorflow 2.8 on this machine with Python 3.12", {}),
    ("The new transformers rejects the installed keras 3", {}),
    ("TypeError: Keyword argument not understood: 'ragged'", {}),
    (
        "TypeError: Descriptors cannot be created directly.",
        {"tf": "2.5.0"},
    ),
    (
        "AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'",
        {},
    ),
    (
        "google.protobuf.runtime_version.VersionError: Detected incompatible "
        "Protobuf Gencode/Runtime versions",
        {},
    ),
    (
        "ImportError: numpy.core.umath failed to import\nAttributeError: _ARRAY_API not found",
        {},
    ),
    (
        "TypeError: Unable to convert function return value to a Python type! The "
        "signature was\n"
        "        () -> handle",
        {},
    ),
    (
        "NotImplementedError: Cannot convert a symbolic Tensor (gru/strided_slice:0) "
        "to a numpy array.",
        {"tf": "2.4.1", "numpy": "1.20.3"},
    ),
    (
        "AttributeError: module 'tensorflow' has no attribute 'ConfigProto'",
        {},
    ),
    (
        "ImportError: cannot import name 'tf_utils'",
        {},
    ),
    (
        "ModuleNotFoundError: No module named 'tensorflow.contrib'",
        {},
    ),
    (
        "ImportError: cannot import name 'Sentinel' from 'typing_extensions' "
        "(/env/lib/python3.10/site-packages/typing_extensions.py)",
        {},
    ),
    (
        "ERROR: No matching distribution found for tensorflow==1.12.0",
        {"python": "3.7"},
    ),
    (
        "tensorflow 2.6.0 requires typing-extensions~=3.7.4, but you have "
        "typing-extensions 4.5.0 which is incompatible.",
        {},
    ),
    (
        "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.29' not found",
        {},
    ),
    (
        "ValueError: Unknown layer: Functional",
        {},
    ),
    (
        "AttributeError: 'Sequential' object has no attribute 'predict_proba'",
        {},
    ),
    (
        "NotFoundError: _sentencepiece_ops.so: undefined symbol: "
        "_ZN10tensorflow14kernel_factory17OpKernelRegistrarE",
        {},
    ),
    (
        "ImportError: DLL load failed while importing _pywrap_tf2: The specified "
        "procedure could not be found.",
        {},
    ),
]
OTHERS = [
    (
        "ImportError: cannot import name 'build_model' from 'my_project.models'",
        {},
    ),
    (
        "AttributeError: 'MyTrainer' object has no attribute 'optimizer'",
        {},
    ),
    (
        "RuntimeWarning: numpy.ufunc size changed, may indicate binary "
        "incompatibility. Expected 192 from C header, got 216 from PyObject",
        {},
    ),
    (
        "ImportError: libcudart.so.10.0: cannot open shared object file: No such file or directory",
        {},
    ),
    (
        "FutureWarning: Passing (type, 1) or '1type' as a synonym of type is deprecated",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), PACKAGE_CONFLICT)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "package-conflict"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "package-conflict"


def test_what_stops_the_import_counts_not_the_lines_before_it() -> None:
    answer = tell(
        "Could not load dynamic library 'libcudart.so.10.1'; dlerror: not found\n"
        "Ignore above cudart dlerror if you do not have a GPU set up on your machine.\n"
        "AttributeError: module 'numpy' has no attribute 'object'."
    )
    assert answer.primary == "package-conflict"


def test_the_doctors_finding_gives_the_fix() -> None:
    answer = tell("AttributeError: _ARRAY_API not found", tf="2.14.0", numpy="2.1.0")
    assert any("<2" in command for command in answer.causes[0].fix.commands)


def test_the_missing_name_is_told() -> None:
    why = tell("ImportError: cannot import name 'dtensor' from 'tensorflow.compat.v2.experimental'")
    assert "dtensor" in why.causes[0].why


def test_a_backend_that_is_missing_is_named_with_the_variable() -> None:
    found = tell(BACKEND).causes[0]
    assert (found.cause, found.confidence) == ("package-conflict", "high")
    assert "KERAS_BACKEND=jax" in found.why
    assert found.fix.commands[0] == "export KERAS_BACKEND=tensorflow"


def test_a_module_that_the_script_wants_itself_is_no_backend() -> None:
    found = tell("ModuleNotFoundError: No module named 'jax'").causes[0]
    assert "KERAS_BACKEND" not in found.why + found.fix.text
