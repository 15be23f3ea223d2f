"""What the names that people give to layers and attributes say."""

import re

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
