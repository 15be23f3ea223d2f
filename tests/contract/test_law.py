"""The law: only `contract/` knows names of Keras and TensorFlow that are not public."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fitguard

_ROOT = Path(fitguard.__file__).parent
_FILES = sorted(
    file for file in _ROOT.rglob("*.py") if "contract" not in file.relative_to(_ROOT).parts
)
_PRIVATE = (
    "keras.src",
    "tf_keras.src",
    "tensorflow.python",
    "tensorflow.core",
    "tensorflow.compiler",
)
_OTHERS = {
    *("_replace", "_asdict", "_fields"),  # named tuples
    *("_exit", "_getframe", "_run_module_as_main"),  # Python itself
    *("_mgr", "_mmap"),  # pandas and NumPy
}
_ASKING = ("getattr", "hasattr", "setattr", "delattr")


@pytest.mark.parametrize("file", _FILES, ids=lambda file: str(file.relative_to(_ROOT)))
def test_only_the_contract_knows_private_names(file: Path) -> None:
    assert list(private_names(file.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "line",
    [
        "import keras.src.layers",
        "from keras.src import layers",
        "from tensorflow.python.eager import context",
        "module = 'tf_keras.src.engine.training'",
        "model._flatten_layers()",
        "getattr(model, '_jit_compile', None)",
        "hasattr(dataset, '_inputs')",
    ],
)
def test_the_law_sees(line: str) -> None:
    assert list(private_names(line))


def private_names(source: str) -> Iterator[str]:
    """Those that a file knows."""
    tree = ast.parse(source)
    own = {
        *(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)),
        *(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _own(node)),
    }
    for node in ast.walk(tree):
        for name in _private(node):
            if name not in own and name not in _OTHERS and not name.startswith("_fitguard"):
                yield f"line {getattr(node, 'lineno', 0)}: {name}"


def _private(node: ast.AST) -> list[str]:
    match node:
        case ast.Attribute(attr=name) if _hidden(name) and not _own(node):
            return [name]
        case ast.Import(names=names):
            return [name.name for name in names if name.name.startswith(_PRIVATE)]
        case ast.ImportFrom(module=str(module)) if module.startswith(_PRIVATE):
            return [module]
        case ast.Constant(value=str(text)) if text.startswith(_PRIVATE) and " " not in text:
            return [text]
        case ast.Call(func=ast.Name(id=asked), args=[_, ast.Constant(value=str(name)), *_]):
            return [name] if asked in _ASKING and _hidden(name) else []
    return []


def _hidden(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
