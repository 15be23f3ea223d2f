"""What callbacks of Keras keep to themselves: backups, progress bars, the files of TensorBoard."""

import functools
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.patching import patching

GIVEN = frozenset(
    ("model", "_model", "params", "validation_data", "_chief_worker_only", "_supports_tf_logs")
)
"""Attributes that each callback has from Keras: nothing that it remembers itself."""
BOARD_COUNTS = frozenset(
    (
        *("_global_train_batch", "_global_test_batch"),
        *("_previous_epoch_iterations", "_train_accumulated_time"),
    )
)
"""What a TensorBoard counts."""
_BOARD_FOLDERS = ("_log_write_dir", "_train_dir", "_val_dir")
_TIMES = ("_start", "_time_at_epoch_start", "_time_at_epoch_end", "_time_after_first_step")
_COUNTS = ("target", "_seen_so_far", "_values", "_values_order")


def list_callbacks(given: Any) -> list[Any]:
    """Callbacks as `fit` takes them: some, one, a `CallbackList`, or None."""
    given = getattr(given, "callbacks", given)
    if isinstance(given, list | tuple):
        return list(given)
    return [] if given is None else [given]


def restoring_nothing() -> AbstractContextManager[Any]:
    """Inside, BackupAndRestore leaves model and epoch alone when training begins."""
    return patching(
        {Role.BACKUP_RESTORES: lambda original, _: functools.wraps(original)(_do_nothing)}
    )


def _do_nothing(*_: Any, **__: Any) -> None:
    pass


def progress_of(bar: Any) -> tuple[dict[str, float], dict[str, Any]]:
    """The times that a progress bar has noted, and what it has counted."""
    present = vars(bar)
    times = {name: present[name] for name in _TIMES if present.get(name)}
    return times, {name: present[name] for name in _COUNTS if name in present}


def set_progress(bar: Any, times: Mapping[str, float], counts: Mapping[str, Any]) -> None:
    """Let a progress bar go on from what `progress_of` gave."""
    vars(bar).update(counts)
    vars(bar).update(times)


def move_board(board: Any, log_dir: str) -> None:
    """Let a TensorBoard go on in another folder."""
    pushed = bool(board._prev_summary_state)
    if pushed:
        board._pop_writer()
    board._close_writers()
    now, board.log_dir = str(board.log_dir), log_dir
    for name in _BOARD_FOLDERS:
        setattr(board, name, str(getattr(board, name)).replace(now, log_dir, 1))
    board._writers.clear()
    if pushed:
        # A variable of the model in Keras 2, a number in Keras 3.
        step = getattr(board, "_train_step", board._global_train_batch)
        board._push_writer(board._train_writer, step)
