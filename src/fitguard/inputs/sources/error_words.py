"""What an error says, without what TensorFlow wraps around it."""

import re

from fitguard.words import without_escapes

_BEFORE = re.compile(r"^\s*(\{\{function_node [^}]*\}\}\s*)+")
_FUNCTION = re.compile(
    r"^\s*Error in user-defined function passed to \S+ transformation with iterator: \S+ "
)
_NODE = re.compile(r"\s*\[\[\{\{node .*", re.DOTALL)
_OPERATION = re.compile(r"\s*\[Op:\w+\].*", re.DOTALL)
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\):.*", re.DOTALL)
_PYTHON = re.compile(r"^[A-Za-z_.]*(Error|Exception|Interrupt|Exit|Iteration|Warning): ")


def in_one_line(error: BaseException) -> str:
    """The error as Python would end a traceback with it.

    An error of Python code that TensorFlow called comes as TensorFlow's, with a traceback inside:
    its own name and words are given.

    Example:
        >>> in_one_line(KeyError("id 300"))
        "KeyError: 'id 300'"
    """
    try:
        text = str(error)
    except Exception:  # a class of the user's
        text = ""
    if type(error).__module__.startswith("tensorflow"):
        for part in (_BEFORE, _FUNCTION, _BEFORE, _NODE, _OPERATION, _TRACEBACK):
            text = part.sub("", text)
    text = " ".join(without_escapes(text).split())
    if _PYTHON.match(text) and type(error).__module__.startswith("tensorflow"):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
