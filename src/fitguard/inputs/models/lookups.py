"""Tables that a layer of the user's own holds: of tokens, and of positions."""

import re
from collections.abc import Iterator
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.inputs.models.asking import ask, name_of
from fitguard.inputs.models.kinds import sublayers
from fitguard.schema.model import IndexTable

_POSITION = re.compile(r"^(pos|poss?|position|positions|positional|wpe|pos(emb|enc|ition)\w*)$")
_TOKEN = re.compile(r"^(tok|toks|token|tokens|word|words|vocab|vocabulary|wte)$")


def says_position(*names: str) -> bool:
    """Whether one of the names speaks of positions: `pos_emb`, `PositionalEncoding`.

    `transpose`, `composer` and `positive` do not.
    """
    return any(_POSITION.match(word) for name in names for word in _words(name))


def says_token(*names: str) -> bool:
    """Whether one of the names speaks of tokens: `token_emb`, `word_embedding`."""
    return any(_TOKEN.match(word) for name in names for word in _words(name))


def _words(name: str) -> list[str]:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return [word for word in re.split(r"[^a-z]+", split.lower()) if word]


def token_tables(layer: Any) -> tuple[IndexTable, ...]:
    """Embeddings inside of a layer that its input is surely an index of.

    Their attribute is named after tokens, or they are the only ones beside a table of positions.
    """
    return tuple(
        found for holder in (layer, *sublayers(layer)) for found in _find_token_tables(holder)
    )


def _find_token_tables(holder: Any) -> Iterator[IndexTable]:
    tables = [
        (attribute, table)
        for attribute, table in _attributes(holder)
        if is_a(table, "Embedding") and not says_position(attribute, name_of(table))
    ]
    alone = len(tables) == 1 and bool(_find_position_tables(holder))
    for attribute, table in tables:
        rows = _rows(table)
        if rows is not None and (alone or says_token(attribute, name_of(table))):
            yield IndexTable(f"{name_of(holder)}.{attribute}", rows)


def position_tables(layer: Any) -> tuple[IndexTable, ...]:
    """Tables of positions inside of a layer that adds them to what it reads.

    A layer that has such a table, but whose name says nothing of positions and that holds no
    table of tokens, may cut its input into patches first: left out.
    """
    return tuple(
        table
        for holder in (layer, *sublayers(layer))
        if says_position(name_of(holder), type(holder).__name__)
        or tuple(_find_token_tables(holder))
        for table in _find_position_tables(holder)
    )


def _find_position_tables(holder: Any) -> list[IndexTable]:
    found = []
    for attribute, value in _attributes(holder):
        if not says_position(attribute, name_of(value)):
            continue
        rows = _rows(value)
        if rows is not None:
            found.append(IndexTable(f"{name_of(holder)}.{attribute}", rows))
    return found


def _rows(table: Any) -> int | None:
    """Of an Embedding, or of a weight or constant of shape (rows, depth) or (1, rows, depth)."""
    if is_a(table, "Embedding"):
        return ask(lambda: int(table.input_dim), None)
    if is_a(table, "Layer"):
        return None
    shape = ask(lambda: tuple(int(length) for length in table.shape), ())
    if len(shape) == 3 and shape[0] == 1:
        shape = shape[1:]
    return shape[0] if len(shape) == 2 else None


def _attributes(holder: Any) -> Iterator[tuple[str, Any]]:
    """What a layer was given to keep, lists and dicts opened; no property is called."""
    for attribute, value in ask(lambda: list(vars(holder).items()), []):
        # Keras keeps its own lists of the same layers and weights in private attributes.
        private = attribute.startswith("_")
        if isinstance(value, list | tuple) and not private:
            yield from ((f"{attribute}[{place}]", item) for place, item in enumerate(value))
        elif isinstance(value, dict) and not private:
            yield from ((f"{attribute}[{key!r}]", item) for key, item in value.items())
        else:
            yield attribute, value
