"""YAML as it was written, and the lines of it.

Values stay texts: `0.10` is not 0.1, and `yes` is not True, because both go into commands and
variables of the environment. Nothing but texts, lists and mappings is ever built. A text that has
no quotes is `Plain`: for a function it may mean a number.
"""

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.words import say_error, short

Place = tuple[str | int, ...]
"""Where something stands: `("jobs", 2, "memory")`."""

_MOST_BYTES = 16 << 20
_KEPT_TAGS = ("tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")
_LONGEST = 200


class Plain(str):
    """A text that stands there without quotes."""

    __slots__ = ()


class YamlFile:
    """A file of YAML.

    Args:
        content: Lists, mappings and texts; None for what is empty.
    """

    def __init__(self, path: Path, content: Any, root: Any) -> None:
        self.path = path
        self.content = content
        self._root = root

    def find_line(self, place: Place) -> int:
        """The line where this stands, or what it would be in; from 1."""
        node = self._root
        for key in place:
            inner = _find_inner(node, key)
            if inner is None:
                break
            node = inner
        return 1 if node is None else int(node.start_mark.line) + 1

    def list_problems(self, problems: Iterable[tuple[Place, str]]) -> list[str]:
        """Each with file and line, in the order of lines."""
        placed = [(self.find_line(place), text) for place, text in problems]
        placed.sort(key=lambda one: one[0])
        return [f"{self.path}, line {line}: {text}" for line, text in placed]


def read_yaml(path: Path) -> YamlFile:
    """Read a file.

    Raises:
        UnreadableInput: if it cannot be read, is no YAML, asks for objects, or has a key twice.
        UsageError: if there is no library to read YAML with.
    """
    if importlib.util.find_spec("yaml") is None:
        raise UsageError(
            f"Received {path}, but the package pyyaml is not installed here. Install it: "
            "pip install 'fitguard[ray]'"
        )
    import yaml

    kept = {
        first: [(tag, pattern) for tag, pattern in pairs if tag in _KEPT_TAGS]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    texts = {**yaml.SafeLoader.yaml_constructors, "tag:yaml.org,2002:str": _make_text}
    rules = {"yaml_implicit_resolvers": kept, "yaml_constructors": texts}
    as_written = type("AsWritten", (yaml.SafeLoader,), rules)
    text = _read_text(path)
    try:
        loader = as_written(text)
        root = loader.get_single_node()
        doubled = next(_find_doubled(root), None)  # merging changes the nodes: before that
        content = None if root is None or doubled else loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = error.problem or error.context or "it cannot be read"
        raise UnreadableInput(f"{path}{line}: no YAML: {short(problem, _LONGEST)}") from error
    except yaml.YAMLError as error:
        raise UnreadableInput(f"{path}: no YAML: {short(say_error(error), _LONGEST)}") from error
    except (RecursionError, ValueError) as error:
        raise UnreadableInput(f"{path}: nested too deeply, or no YAML that can be read") from error
    if doubled is not None:
        raise UnreadableInput(
            f"{path}, line {doubled.start_mark.line + 1}: Received the key {doubled.value} twice. "
            "Expected each key once"
        )
    return YamlFile(path, content, root)


def _make_text(loader: Any, node: Any) -> str:
    text: str = loader.construct_scalar(node)
    return Plain(text) if node.style is None else text


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UnreadableInput(f"{path}: Received more than 16 MiB. Expected a file of jobs")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableInput(
            f"{path}: {error.strerror}. Expected the file of all trainings, such as jobs.yaml"
        ) from error
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path}: no text in UTF-8 (byte {error.start})") from error


def _find_inner(node: Any, key: str | int) -> Any:
    if node is None or isinstance(node.value, str):
        return None
    if isinstance(key, int):
        inner = node.value[key] if key < len(node.value) else None
        return None if isinstance(inner, tuple) else inner
    pairs = [pair for pair in reversed(node.value) if isinstance(pair, tuple)]
    return next((value for name, value in pairs if name.value == key), None)


def _find_doubled(root: Any) -> Iterator[Any]:
    """Keys that a mapping has twice; YAML would silently take the last one."""
    seen: set[int] = set()
    left = [] if root is None else [root]
    while left:
        node = left.pop()
        if id(node) in seen or isinstance(node.value, str):
            continue
        seen.add(id(node))
        names: set[str] = set()
        for part in node.value:
            left += part if isinstance(part, tuple) else (part,)
            if isinstance(part, tuple) and isinstance(part[0].value, str):
                if part[0].value in names:
                    yield part[0]
                names.add(part[0].value)
