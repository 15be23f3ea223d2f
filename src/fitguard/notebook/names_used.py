"""Which global names a piece of source uses, and when: as it is defined, or as it is called."""

import builtins
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

_BUILT_IN = frozenset(dir(builtins))


@dataclass(frozen=True)
class NamesUsed:
    """Global names.

    Args:
        at_once: Read when the source runs: decorators, defaults, bases, bodies of classes.
        later: Read inside of functions.
        assigned: Given a value at the top.
        rebound: Given a value inside of a function, through `global`.
    """

    at_once: tuple[str, ...]
    later: tuple[str, ...]
    assigned: tuple[str, ...]
    rebound: tuple[str, ...]


def names_used(source: str) -> NamesUsed:
    """The names that a source takes from outside of it.

    Raises:
        SyntaxError: where it is no Python.
    """
    top = symtable.symtable(source, "<source>", "exec")
    assigned = [symbol.get_name() for symbol in top.get_symbols() if _is_bound(symbol)]
    at_once = [symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()]
    later: list[str] = []
    rebound: list[str] = []
    for table, runs_at_once in _inside(top, True):
        for symbol in table.get_symbols():
            if not symbol.is_global():
                continue
            name = symbol.get_name()
            if symbol.is_assigned():
                rebound.append(name)
            if symbol.is_referenced():
                (at_once if runs_at_once else later).append(name)
    return NamesUsed(_free(at_once), _free(later), tuple(assigned), tuple(rebound))


def _inside(
    table: symtable.SymbolTable, at_once: bool
) -> Iterator[tuple[symtable.SymbolTable, bool]]:
    for child in table.get_children():
        now = at_once and (child.get_type() == "class" or _is_comprehension(child))
        yield child, now
        yield from _inside(child, now)


def _is_comprehension(table: symtable.SymbolTable) -> bool:
    return table.get_name() in ("listcomp", "setcomp", "dictcomp", "genexpr")


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _free(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name not in _BUILT_IN))
