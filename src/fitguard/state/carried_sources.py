"""The source of code that goes over: TensorFlow reads it, and tracebacks quote it."""

import linecache
from collections.abc import Mapping
from types import CodeType


def note_source(code: CodeType, sources: dict[str, list[str]]) -> None:
    """Add the lines of its file, by name."""
    sources[code.co_filename] = linecache.getlines(code.co_filename)


def put_sources(sources: Mapping[str, list[str]]) -> None:
    """Let all who ask for these files here find them, whether there are such files or not."""
    for file, lines in sources.items():
        length = sum(len(line) for line in lines)
        linecache.cache.setdefault(file, (length, None, lines, file))
